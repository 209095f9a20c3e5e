namespace Ioxide.Tls;

/// <summary>Whether TLS is available.</summary>
public static class TlsSupport
{
    /// <summary>Why TLS is unavailable and what to install; null where it is available. Determined once per process. Threads: any.</summary>
    public static string? Problem => OpenSslLibrary.Problem;

    internal static void ThrowIfUnavailable()
    {
        if (Problem is { } problem)
        {
            throw new TlsException(TlsFailure.Unavailable, problem);
        }
    }
}
