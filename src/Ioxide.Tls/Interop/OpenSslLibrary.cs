using System.Reflection;
using System.Runtime.InteropServices;

namespace Ioxide.Tls;

/// <summary>Finds the OpenSSL 3 that the .NET runtime uses too, so that certificates and keys can be handed over as they are.</summary>
internal static class OpenSslLibrary
{
    internal const string Ssl = "libssl";
    internal const string Crypto = "libcrypto";

    private const string Remedy = "Install OpenSSL 3 (Debian and Ubuntu: libssl3 or libssl3t64; Fedora and RHEL: openssl-libs; Alpine: libssl3).";
    private const ulong OldestVersion = 0x3000_0000;
    private const ulong FirstOtherMajor = 0x4000_0000;

    private static readonly Lazy<string?> s_problem = new(Check);
    private static readonly nint s_ssl;
    private static readonly nint s_crypto;

    static OpenSslLibrary()
    {
        if (NativeLibrary.TryLoad("libcrypto.so.3", out s_crypto))
        {
            _ = NativeLibrary.TryLoad("libssl.so.3", out s_ssl);
        }

        NativeLibrary.SetDllImportResolver(typeof(OpenSslLibrary).Assembly, Resolve);
    }

    /// <summary>Why TLS cannot be had here, with its remedy; null where it can. Threads: any. The answer is found once a process.</summary>
    internal static string? Problem => s_problem.Value;

    /// <summary>Both libraries are found by their version's name from here on. Whoever imports from them calls it before.</summary>
    internal static void Prepare()
    {
        // The static constructor has run.
    }

    private static string? Check()
    {
        if (s_ssl == 0)
        {
            return $"libssl.so.3 and libcrypto.so.3 were not found. {Remedy}";
        }

        ulong version = LibCrypto.VersionNumber();
        return version is >= OldestVersion and < FirstOtherMajor ? null : $"OpenSSL reports version 0x{version:x}, not 3.x. {Remedy}";
    }

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path)
        => name switch { Ssl => s_ssl, Crypto => s_crypto, _ => 0 };
}
