using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The listener by itself, as a server other than Kestrel uses it.</summary>
public class ListenerTests
{
    [Theory, Each(1, 20)]
    public async Task ConnectionsThatNobodyAcceptedEndWithTheirListener(int count)
    {
        await using ServiceProvider services = new ServiceCollection()
            .AddLogging()
            .AddIoxideTransport(static options => options.FirstReadPatience = TimeSpan.Zero)
            .BuildServiceProvider();
        IConnectionListenerFactory factory = services.GetServices<IConnectionListenerFactory>().Last();
        IConnectionListener listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => RawClient.ConnectAsync(listener.EndPoint)));
        ReactorFleet fleet = services.GetRequiredService<ReactorFleet>();
        await Waits.Eventually(
            () => fleet.GetOrStart()!.Reactors.Sum(static reactor => reactor.Snapshot().Connections) == count, 20.Seconds(), "all arrived");

        await listener.DisposeAsync().AsTask().Within(20.Seconds());

        foreach (RawClient client in clients)
        {
            Assert.Empty((await client.ReadToEndAsync()).Bytes);
            client.Dispose();
        }
    }

    [Fact]
    public async Task NoReactorsStartAfterTheEndOfTheServices()
    {
        ServiceProvider services = new ServiceCollection().AddLogging().AddIoxideTransport().BuildServiceProvider();
        IConnectionListenerFactory listeners = services.GetServices<IConnectionListenerFactory>().Last();
        IReactorGroupSource reactors = services.GetRequiredService<IReactorGroupSource>();
        await (await listeners.BindAsync(new IPEndPoint(IPAddress.Loopback, 0))).DisposeAsync();
        await services.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => listeners.BindAsync(new IPEndPoint(IPAddress.Loopback, 0)).AsTask());
        Assert.Throws<ObjectDisposedException>(reactors.GetReactors);
    }
}
