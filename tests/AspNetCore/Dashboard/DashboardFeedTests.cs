using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The feed of the dashboard's events, without a server.</summary>
public class DashboardFeedTests
{
    /// <remarks>With many who wait, the first goes on while the others are still being told.</remarks>
    [Fact]
    public async Task NobodyGetsAnEventTwice()
    {
        const int WaiterCount = 500;
        const int EventCount = 3;
        var feed = new DashboardFeed(null, null, NullLogger.Instance);
        Assert.True(feed.TryWatch());
        try
        {
            await Task.WhenAll(Enumerable.Range(0, WaiterCount).Select(_ => Task.Run(async () =>
            {
                byte[] last = await feed.FirstAsync(CancellationToken.None);
                for (int count = 0; count < EventCount; count++)
                {
                    byte[] next = await feed.NextAsync(CancellationToken.None);
                    Assert.NotSame(last, next);
                    last = next;
                }
            }))).Within(60.Seconds());
        }
        finally
        {
            feed.Leave();
        }
    }

    [Fact]
    public async Task WhoWatchesBehindAPauseSeesWhatIsThen()
    {
        var feed = new DashboardFeed(null, null, NullLogger.Instance);
        Assert.True(feed.TryWatch());
        byte[] before = await feed.FirstAsync(CancellationToken.None).Within(20.Seconds());
        feed.Leave();
        Assert.True(feed.TryWatch());
        try
        {
            Assert.NotSame(before, await feed.FirstAsync(CancellationToken.None).Within(20.Seconds()));
        }
        finally
        {
            feed.Leave();
        }
    }
}
