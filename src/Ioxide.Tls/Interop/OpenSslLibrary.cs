using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Ioxide.Tls;

/// <summary>Finds the OpenSSL 3 that the .NET runtime uses too, so that certificates and keys can be handed over as they are.</summary>
/// <remarks>
/// The runtime loads <c>libssl.so.</c> with the version that DOTNET_OPENSSL_VERSION_OVERRIDE names, then libssl.so.3. The same names in
/// the same order give the same library, because the loader keeps one copy for each name; both versions are compared as well. Every
/// function, libcrypto's too, is looked up through libssl, so the two belong together.
/// </remarks>
internal static class OpenSslLibrary
{
    internal const string Ssl = "libssl";
    internal const string Crypto = "libcrypto";

    /// <summary>The setting of the runtime's that names another version (.NET 10).</summary>
    internal const string VersionOverride = "DOTNET_OPENSSL_VERSION_OVERRIDE";

    private const string Remedy = "Install OpenSSL 3 (Debian and Ubuntu: libssl3 or libssl3t64; Fedora and RHEL: openssl-libs; Alpine: libssl3).";
    private const string VersionFunction = "OpenSSL_version_num";
    private const int SupportedMajor = 3;

    private static readonly Lazy<string?> s_problem = new(Check);
    private static readonly nint s_library;

    static OpenSslLibrary()
    {
        string? version = Environment.GetEnvironmentVariable(VersionOverride);
        if (string.IsNullOrEmpty(version) || !NativeLibrary.TryLoad($"libssl.so.{version}", out s_library))
        {
            _ = NativeLibrary.TryLoad("libssl.so.3", out s_library);
        }

        NativeLibrary.SetDllImportResolver(typeof(OpenSslLibrary).Assembly, Resolve);
    }

    /// <summary>Why TLS is unavailable, with a remedy; null where it is available. Determined once per process. Threads: any.</summary>
    internal static string? Problem => s_problem.Value;

    /// <summary>The version of the library that was loaded, such as <c>3.5.1</c>. Only where there is no <see cref="Problem"/>.</summary>
    internal static string LoadedVersion => Text(LibCrypto.VersionNumber());

    /// <summary>Ensures that the library is loaded. Types that import from it call this first.</summary>
    internal static void Prepare()
    {
        // The static constructor has run.
    }

    /// <summary>Why keys of .NET's cannot be handed to the library that was loaded; null where they can.</summary>
    /// <param name="loaded">The version of what was loaded, as OpenSSL_version_num(3) gives it.</param>
    /// <param name="runtime">The version that the runtime says it uses.</param>
    internal static string? Compare(ulong loaded, ulong runtime)
        => loaded != runtime
            ? $"The .NET runtime uses OpenSSL {Text(runtime)}, but TLS found {Text(loaded)}. Private keys cannot pass from one to the"
                + $" other. Keep a single OpenSSL 3 on the library search path, and unset {VersionOverride} where it is set."
            : loaded >> 28 != SupportedMajor
                ? $"The .NET runtime uses OpenSSL {Text(runtime)}, but TLS needs OpenSSL 3. Unset {VersionOverride} where it is set. {Remedy}"
                : null;

    /// <summary>
    /// Which of a type's imports the library lacks, or null. A build of OpenSSL may leave functions out, which would otherwise be
    /// noticed by the first handshake that needs them.
    /// </summary>
    internal static string? FindMissing(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicMethods | DynamicallyAccessedMemberTypes.NonPublicMethods)] Type imports)
    {
        foreach (MethodInfo method in imports.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
        {
            if (method.GetCustomAttribute<DllImportAttribute>()?.EntryPoint is { } name && !NativeLibrary.TryGetExport(s_library, name, out _))
            {
                return $"The OpenSSL {Text(LibCrypto.VersionNumber())} that was loaded has no function {name}. {Remedy}";
            }
        }

        return null;
    }

    private static string? Check()
    {
        if (s_library == 0 || OperatingSystem.IsWindows())
        {
            return $"libssl.so.3 was not found. {Remedy}";
        }

        if (!NativeLibrary.TryGetExport(s_library, VersionFunction, out _))
        {
            return $"The libssl that was loaded has no {VersionFunction}, so it is older than OpenSSL 1.1. {Remedy}";
        }

        // Asked only now: without any libssl the runtime ends the process.
        string? difference = Compare(LibCrypto.VersionNumber(), (ulong)SafeEvpPKeyHandle.OpenSslVersion);
        return difference ?? FindMissing(typeof(LibCrypto)) ?? FindMissing(typeof(LibSsl));
    }

    /// <summary>
    /// Major in bits 28 and up, minor in bits 20 to 27, patch in bits 4 to 11; before OpenSSL 3 its third part is in bits 12 to 19.
    /// </summary>
    private static string Text(ulong version)
    {
        ulong major = version >> 28;
        return $"{major}.{(version >> 20) & 0xff}.{(version >> (major < SupportedMajor ? 12 : 4)) & 0xff}";
    }

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path) => name is Ssl or Crypto ? s_library : 0;
}
