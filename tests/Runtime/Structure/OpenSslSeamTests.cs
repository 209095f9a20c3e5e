namespace Ioxide.Tests;

/// <summary>
/// OpenSSL is called by few types, so that another state machine for TLS can take their place: a session, its context, its callbacks and ciphers, and
/// what reads the machine's policy once. The references are read from the built assembly.
/// </summary>
[Once]
public class OpenSslSeamTests
{
    private const string LibSsl = "Interop/LibSsl.cs";
    private const string LibCrypto = "Interop/LibCrypto.cs";

    private static readonly string[] s_callers =
    [
        "Interop/CipherContext.cs", "Interop/OpenSslErrors.cs", "Interop/OpenSslLibrary.cs", "Interop/OpenSslPolicy.cs",
        "Interop/TlsBufferSession.cs", "Interop/TlsCallbacks.cs", "Interop/TlsContext.cs",
    ];

    [Fact]
    public void OnlyTheSeamCallsOpenSsl()
    {
        using var assembly = new CompiledAssembly("Ioxide.Tls");
        (string From, string Name)[] calls = [.. assembly.References()
            .Where(static reference => reference.To is LibSsl or LibCrypto && reference.From is not (LibSsl or LibCrypto))
            .Select(static reference => (reference.From, reference.Name)).Distinct()];

        string[] astray = [.. calls.Where(static call => !s_callers.Contains(call.From)).Select(static call => $"{call.From} uses {call.Name}")];
        Assert.True(astray.Length == 0, $"""
            OpenSSL is called outside of its seam:
            {string.Join('\n', astray)}
            Ask TlsBufferSession, TlsContext or CipherContext for what is needed.
            """);

        // The control: each of them does call it.
        Assert.Equal(s_callers, calls.Select(static call => call.From).Distinct().Order(StringComparer.Ordinal));
    }
}
