namespace Ioxide;

/// <summary>
/// A ring could not be created or used, and no reactor started on it. The message names the call and the cause; <see cref="Remedy"/> says what
/// to do.
/// </summary>
public sealed class RingUnavailableException : IOException
{
    /// <summary>In place of a call: the system is no Linux.</summary>
    internal const string Platform = "the platform";

    internal RingUnavailableException(int errno, string call)
        : this(errno, call, HostFacts.Read())
    {
    }

    internal RingUnavailableException(int errno, string call, HostFacts facts)
        : this(Refusal.Of(errno, call, facts), errno, call, facts.Release)
    {
    }

    /// <param name="refusal">The judged refusal.</param>
    /// <param name="errno">Positive; 0 if no call failed.</param>
    /// <param name="call">The call, or the request in words.</param>
    /// <param name="release">The kernel's release, or empty.</param>
    internal RingUnavailableException(Refusal refusal, int errno, string call, string release = "")
        : base($"{What(call)}: {Describe(errno, call, release)}, because {refusal.Cause}. {refusal.Remedy}")
    {
        Support = refusal.Support;
        ErrorNumber = errno;
        Call = call;
        Remedy = refusal.Remedy;
        Cause = $"{Describe(errno, call, release)}, because {refusal.Cause}";
    }

    /// <summary>Both kernels are refused. It is the first one's, with what the second one met.</summary>
    internal RingUnavailableException(RingUnavailableException rings, RingUnavailableException epoll)
        : base(rings.Message == epoll.Message ? rings.Message : $"{rings.Message} {epoll.Message}", epoll)
    {
        Support = rings.Support;
        ErrorNumber = rings.ErrorNumber;
        Call = rings.Call;
        Remedy = rings.Remedy;
        Cause = rings.Cause == epoll.Cause ? rings.Cause : $"{rings.Cause}; and {epoll.Cause}";
    }

    /// <summary>The kind of refusal.</summary>
    public RingSupport Support { get; }

    /// <summary>The kernel's error number, positive; 0 if no call failed.</summary>
    public int ErrorNumber { get; }

    /// <summary>What was refused: a system call such as <c>io_uring_enter</c>, with its operation if it has several.</summary>
    public string Call { get; }

    /// <summary>What an operator can do, in whole sentences.</summary>
    public string Remedy { get; }

    /// <summary>The call, its error, the running kernel and the likely cause, without a full stop.</summary>
    internal string Cause { get; }

    /// <summary>The message alone: a program that does not start because of it prints one line, and no code of it is at fault.</summary>
    public override string ToString() => Message;

    /// <summary>A call that reactors make on either kernel says nothing about one of them.</summary>
    private static string What(string call)
        => call == Kernel.Epoll.SetupCall ? "epoll is not available"
            : call.StartsWith("io_uring", StringComparison.Ordinal) || call == Platform ? "io_uring is not available"
            : "No reactor can start";

    private static string Describe(int errno, string call, string release)
        => $"{call} {(errno == 0 ? "fell short" : $"failed with {Errno.Name(errno)}")}{(release.Length == 0 ? "" : $" on Linux {release}")}";
}
