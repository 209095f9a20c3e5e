using System.Net;

namespace Ioxide.Chaos;

/// <summary>Reactors of this process, as the tests of a host see its own.</summary>
internal static class FixtureExtensions
{
    /// <summary>Listens on a free loopback port with room for everybody who comes at once.</summary>
    internal static async Task<IPEndPoint> ListenToManyAsync(this ReactorFixture fixture, Func<RingConnection, Task> handler)
    {
        const int Backlog = 4096;
        RingListener listener = await fixture.ListenAsync(handler, new RingListenOptions { Backlog = Backlog });
        return (IPEndPoint)listener.EndPoint;
    }

    internal static HostStats Stats(this ReactorFixture fixture) => HostStats.Read(fixture.Group);
}
