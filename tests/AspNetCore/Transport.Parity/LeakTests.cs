namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A server that was stopped leaves no descriptor and no thread behind. Both are counted for the whole process, so
/// nothing else may run meanwhile.
/// </summary>
[Collection(nameof(LeakTests))]
[CollectionDefinition(nameof(LeakTests), DisableParallelization = true)]
public class LeakTests
{
    [Theory, OverTransports]
    public async Task StoppingLeavesNoDescriptor(TransportKind transport, EndPointKind endPoint)
    {
        await ServeAsync(transport, endPoint);
        LeakCheck descriptors = LeakCheck.Start();
        for (int i = 0; i < 10; i++)
        {
            await ServeAsync(transport, endPoint);
        }

        await descriptors.AssertNoneLeftAsync(20.Seconds());
    }

    [Theory, OverTransports]
    public async Task StoppingEndsTheReactorsThreads(TransportKind transport)
    {
        await ServeAsync(transport, EndPointKind.IPv4);

        await Waits.Eventually(() => CountOfReactorThreads() == 0, 20.Seconds());
    }

    private static async Task ServeAsync(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => server.ConnectAsync()));
        foreach (RawClient client in clients)
        {
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        Assert.Equal(transport == TransportKind.Ioxide, CountOfReactorThreads() > 0);
        foreach (RawClient client in clients)
        {
            client.Dispose();
        }
    }

    /// <summary>Threads by name, as the kernel keeps it: at most 15 characters.</summary>
    private static int CountOfReactorThreads()
        => Directory.EnumerateDirectories("/proc/self/task").Count(folder =>
        {
            try
            {
                return File.ReadAllText(Path.Combine(folder, "comm"))
                    .StartsWith("Ioxide reactor", StringComparison.Ordinal);
            }
            catch (IOException)
            {
                return false;
            }
        });
}
