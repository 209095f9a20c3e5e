namespace Ioxide.Tls;

/// <summary>Whether TLS can be had here.</summary>
public static class TlsSupport
{
    /// <summary>Why not, with what to install; null where it can. Found once a process. Threads: any.</summary>
    public static string? Problem => OpenSslLibrary.Problem;

    internal static void ThrowIfUnavailable()
    {
        if (Problem is { } problem)
        {
            throw new TlsException(TlsFailure.Unavailable, problem);
        }
    }
}
