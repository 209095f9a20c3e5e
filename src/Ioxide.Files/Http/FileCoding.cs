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
    internal static bool TryParse(ReadOnlySpan<byte> name, out FileCoding coding)
    {
        FileCoding? found = Ascii.EqualsIgnoreCase(name, "gzip"u8) || Ascii.EqualsIgnoreCase(name, "x-gzip"u8) ? FileCoding.Gzip
            : Ascii.EqualsIgnoreCase(name, "br"u8) ? FileCoding.Brotli
            : Ascii.EqualsIgnoreCase(name, "zstd"u8) ? FileCoding.Zstandard
            : Ascii.EqualsIgnoreCase(name, "identity"u8) ? FileCoding.Identity
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
