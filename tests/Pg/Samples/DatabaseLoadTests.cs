using System.Net;

namespace Ioxide.Pg.Tests;

/// <summary><c>samples/Database</c> when more is asked than its pools take.</summary>
public class DatabaseLoadTests
{
    [Fact]
    public async Task MoreCommandsThanMayWaitAreLoadAndNoFaultOfTheServer()
    {
        await using DatabaseSample sample = await DatabaseSample.StartAsync(null, ("Ioxide__Pg__QueueLimit", "1"), ("Ioxide__Pg__PipelineDepth", "1"));
        using HttpResponseMessage refused = await sample.Client.GetAsync("/queries?n=500").Within(20.Seconds());
        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);
        using HttpResponseMessage served = await sample.Client.GetAsync("/db").Within(20.Seconds());
        Assert.Equal(HttpStatusCode.OK, served.StatusCode);
    }
}
