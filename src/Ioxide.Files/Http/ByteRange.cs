namespace Ioxide.Files;

/// <summary>Bytes of a file, from <paramref name="Start"/> on; never none.</summary>
internal readonly record struct ByteRange(long Start, long Length)
{
    /// <summary>The last byte, which belongs to the range.</summary>
    internal long Last => Start + Length - 1;
}
