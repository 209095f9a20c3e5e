using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ioxide.TestKit;

/// <summary>The kernel of all reactors that choose for themselves: rings, or epoll with <c>IOXIDE_TEST_KERNEL=epoll</c>.</summary>
internal static class TestKernel
{
    internal const string Variable = "IOXIDE_TEST_KERNEL";

    /// <summary>Child processes that bind their options to a configuration take the choice from this variable.</summary>
    internal const string OfChildren = "Ioxide__Kernel";

    /// <summary>What a test asks for that must not run over sockets.</summary>
    internal static KernelChoice Choice => ReactorGroup.TriedFirst;

    internal static string Name => Kernel.Of(Choice).Name;

    internal static bool IsEpoll => ReactorGroup.TriedFirst == KernelChoice.Epoll;

    // Before any reactor starts, whoever starts it.
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "Only test programs load this assembly.")]
    internal static void Choose()
    {
        switch (Environment.GetEnvironmentVariable(Variable))
        {
            case null or "":
                break;
            case "epoll":
                ReactorGroup.TriedFirst = KernelChoice.Epoll;
                Environment.SetEnvironmentVariable(OfChildren, nameof(KernelChoice.Epoll));
                break;
            case string other:
                throw new InvalidOperationException($"{Variable} is {other}; it can be epoll.");
        }
    }
}
