using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Ioxide.Tls.Tests;

/// <summary>
/// One OpenSSL serves the .NET runtime and this side: which one is the runtime's choice, and where the two would differ, TLS is not
/// offered. The choice is made once a process, hence the child, which is this program with one of these tests.
/// </summary>
public sealed partial class OpenSslLibraryTests : IDisposable
{
    private const ulong Version3019 = 0x3000_0130;
    private const ulong Version350 = 0x3050_0000;
    private const ulong Version111 = 0x1010_117f;
    private const ulong Version400 = 0x4000_0000;
    private const string Override = "DOTNET_OPENSSL_VERSION_OVERRIDE";
    private const string CopyName = "libssl.so.9";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory();

    [Theory, Each(Version3019, Version350)]
    public void TheSameVersionIsTaken(ulong version) => Assert.Null(OpenSslLibrary.Compare(version, version));

    [Theory]
    [InlineData(Version3019, Version111, "3.0.19", "1.1.1")]
    [InlineData(Version111, Version3019, "1.1.1", "3.0.19")]
    [InlineData(Version3019, Version350, "3.0.19", "3.5.0")]
    [InlineData(Version3019, Version400, "3.0.19", "4.0.0")]
    public void TwoVersionsInOneProcessAreRefusedWithARemedy(ulong loaded, ulong runtime, string loadedText, string runtimeText)
    {
        string problem = OpenSslLibrary.Compare(loaded, runtime)!;
        Assert.Contains($"runtime uses OpenSSL {runtimeText}", problem, StringComparison.Ordinal);
        Assert.Contains(loadedText, problem, StringComparison.Ordinal);
        Assert.Contains($"unset {Override}", problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Version111, "1.1.1")]
    [InlineData(Version400, "4.0.0")]
    public void AnotherMajorIsRefusedWithARemedy(ulong version, string text)
    {
        string problem = OpenSslLibrary.Compare(version, version)!;
        Assert.Contains($"OpenSSL {text}, but TLS needs OpenSSL 3.", problem, StringComparison.Ordinal);
        Assert.Contains("Install OpenSSL 3", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void AFunctionThatABuildLacksIsNamedWithARemedy()
    {
        Assert.Null(OpenSslLibrary.FindMissing(typeof(LibSsl)));
        string problem = OpenSslLibrary.FindMissing(typeof(Imports))!;
        Assert.Contains("SSL_that_nobody_made", problem, StringComparison.Ordinal);
        Assert.Contains("Install OpenSSL 3", problem, StringComparison.Ordinal);
    }

    /// <summary>This side comes first, so that the runtime would load its own beside it.</summary>
    [Fact]
    public void OneLibraryIsLoadedForBoth()
    {
        Assert.Null(TlsSupport.Problem);
        Assert.Equal((ulong)SafeEvpPKeyHandle.OpenSslVersion, LibCrypto.VersionNumber());
        string library = Assert.Single(Libraries());
        if (Environment.GetEnvironmentVariable(Override) is { Length: > 0 })
        {
            Assert.Equal(CopyName, Path.GetFileName(library));
        }
    }

    [Fact]
    public async Task TheRuntimesChoiceOfAnotherFileIsFollowed()
    {
        Assert.Null(TlsSupport.Problem);
        byte[] copy = await File.ReadAllBytesAsync(Libraries()[0]);
        Rename(copy, "libssl.so.3\0"u8, "libssl.so.9\0"u8);
        await File.WriteAllBytesAsync(Path.Combine(_directory.FullName, CopyName), copy);
        string output = await Tool.RunAsync(
            [Environment.ProcessPath!, "-noLogo", "-noColor", "-method", $"{typeof(OpenSslLibraryTests)}.{nameof(OneLibraryIsLoadedForBoth)}"],
            limit: Patience.Limit,
            variables: [("LD_LIBRARY_PATH", _directory.FullName), (Override, CopyName["libssl.so.".Length..])]);
        Assert.Contains("Total: 1,", output, StringComparison.Ordinal);
    }

    public void Dispose() => _directory.Delete(recursive: true);

    /// <summary>A library that calls itself by the first name would be taken for it by the loader.</summary>
    private static void Rename(Span<byte> file, ReadOnlySpan<byte> name, ReadOnlySpan<byte> other)
    {
        int at;
        while ((at = file.IndexOf(name)) >= 0)
        {
            other.CopyTo(file[at..]);
            file = file[at..];
        }
    }

    private static string[] Libraries()
        => [.. File.ReadLines("/proc/self/maps").Select(static line => line[(line.LastIndexOf(' ') + 1)..])
            .Where(static path => Path.GetFileName(path).StartsWith("libssl.so", StringComparison.Ordinal)).Distinct()];

    private static partial class Imports
    {
        [LibraryImport("libssl.so.3", EntryPoint = "SSL_that_nobody_made")]
        internal static partial int Missing(nint ssl);
    }
}
