namespace Ioxide.Files;

/// <summary>A content coding that a file can be kept in. Source: RFC 9110, section 8.4.1; RFC 7932; RFC 8878.</summary>
internal enum FileCoding : byte
{
    Identity,
    Gzip,
    Brotli,
    Zstandard,
}

/// <summary>Names of codings, in headers and behind file names.</summary>
internal static class FileCodings
{
    internal const int Count = 4;

    /// <summary>Reads a coding's name, in any case.</summary>
    internal static bool TryParse(ReadOnlySpan<char> name, out FileCoding coding)
    {
        const StringComparison AnyCase = StringComparison.OrdinalIgnoreCase;
        FileCoding? found = name.Equals("gzip", AnyCase) || name.Equals("x-gzip", AnyCase) ? FileCoding.Gzip
            : name.Equals("br", AnyCase) ? FileCoding.Brotli
            : name.Equals("zstd", AnyCase) ? FileCoding.Zstandard
            : name.Equals("identity", AnyCase) ? FileCoding.Identity
            : null;
        coding = found ?? default;
        return found is not null;
    }

    /// <summary>What <c>Content-Encoding</c> says; null for identity, which says nothing.</summary>
    internal static string? NameOf(FileCoding coding) => coding switch
    {
        FileCoding.Gzip => "gzip",
        FileCoding.Brotli => "br",
        FileCoding.Zstandard => "zstd",
        _ => null,
    };

    /// <summary>What a sibling's name has behind the name of its file.</summary>
    internal static string SuffixOf(FileCoding coding) => coding switch
    {
        FileCoding.Gzip => ".gz",
        FileCoding.Brotli => ".br",
        FileCoding.Zstandard => ".zst",
        _ => "",
    };
}
