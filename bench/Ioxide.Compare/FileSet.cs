namespace Ioxide.Compare;

/// <summary>The folder that the file workloads are served from.</summary>
/// <remarks>
/// Every file has siblings of one length, which is the length that is sent: so each side sends the same bytes, whichever
/// coding it knows. The files themselves are larger, so that a side which sent them instead would be noticed.
/// </remarks>
internal static class FileSet
{
    /// <summary>The bodies of the single files: 2 KB, 30 KB, 300 KB.</summary>
    internal static readonly IReadOnlyList<int> Lengths = [2_000, 30_000, 300_000];

    /// <summary>The bodies of a page: markup, styles, scripts, pictures.</summary>
    internal static readonly IReadOnlyList<int> Mixture =
    [
        500, 800, 1_200, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_500, 8_000, 10_000, 13_000, 16_000, 20_000, 27_000, 35_000, 50_000,
        80_000, 120_000,
    ];

    private const string CodedName = ".css";

    /// <summary>For sides without siblings: one file of the length that is sent.</summary>
    private const string PlainName = ".bin";

    internal static string PathOf(int length, bool isCoded) => $"/s{length}{(isCoded ? CodedName : PlainName)}";

    internal static void Create(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (int length in Lengths)
        {
            Write(folder, $"s{length}", length);
        }

        for (int index = 0; index < Mixture.Count; index++)
        {
            Write(folder, $"mix{index + 1}", Mixture[index]);
        }
    }

    private static void Write(string folder, string name, int length)
    {
        byte[] bytes = new byte[length + (length / 2)];
        new Random(length).NextBytes(bytes);
        string coded = Path.Combine(folder, name + CodedName);
        File.WriteAllBytes(coded, bytes);
        File.WriteAllBytes(Path.Combine(folder, name + PlainName), bytes[..length]);
        foreach (string suffix in new[] { ".br", ".gz" })
        {
            File.WriteAllBytes(coded + suffix, bytes[..length]);
            File.SetLastWriteTimeUtc(coded + suffix, File.GetLastWriteTimeUtc(coded));
        }
    }
}
