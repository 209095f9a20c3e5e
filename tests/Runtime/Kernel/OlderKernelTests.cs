using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// A feature that docs/kernel-versions.md calls "used if present" has a substitute that serves: each is refused in turn, as an older
/// kernel refuses it, and connections are answered all the same.
/// </summary>
public class OlderKernelTests
{
    [Theory, AllValues]
    public async Task ServesWithoutTheFeature(NewerFeature missing)
    {
        const int Connections = 8;
        var kernel = new OlderKernel(missing);
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        byte[] message = new byte[10_000];
        Random.Shared.NextBytes(message);

        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, Connections).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));
        await Task.WhenAll(clients.Select(async client =>
        {
            await client.SendAllAsync(message);
            Assert.Equal(message, await client.ReceiveExactlyAsync(message.Length));
        }));
        foreach (Socket client in clients)
        {
            client.Dispose();
        }

        // The feature was wanted, and the ring runs without it.
        Assert.True(kernel.Refusals > 0, $"Nothing asked for {missing}.");
        Ring ring = fixture[0].Ring;
        Assert.Equal(missing != NewerFeature.RegisteredDescriptor, ring.IsDescriptorRegistered);
        Assert.False(missing == NewerFeature.NoSubmissionArray && ring.Flags.HasFlag(SetupFlags.NoSubmissionArray));
        Assert.False(missing == NewerFeature.WaitFeatures && ring.Features.HasFlag(RingFeatureFlags.NoIoWait));
    }

    [Fact]
    public void TheLowestFreeNumberStandsForTheCountOfDescriptors()
    {
        var without = new OlderKernel(NewerFeature.DescriptorCount);

        Assert.InRange(DescriptorBudget.Open(without), 3, int.MaxValue);
        Assert.True(without.Refusals > 0);
    }
}
