namespace Ioxide.TestKit;

/// <summary>The kernel of a fixture's reactors: Linux, or with IOXIDE_TEST_KERNEL=epoll one whose rings are played over epoll.</summary>
internal static class TestKernel
{
    internal static Kernel Chosen { get; } = Environment.GetEnvironmentVariable("IOXIDE_TEST_KERNEL") switch
    {
        null or "" => Kernel.Linux,
        "epoll" => new EpollKernel(),
        string other => throw new InvalidOperationException($"IOXIDE_TEST_KERNEL is {other}; it can be epoll."),
    };
}
