namespace Ioxide.Http2.Tests;

/// <summary>Bytes of which each place says where it was.</summary>
internal static class Pattern
{
    internal const int FileLength = 3000;

    private static readonly byte[] s_bytes = [.. Enumerable.Range(0, 2_000_000).Select(static index => (byte)(33 + (index * 31 % 89)))];
    private static readonly Lazy<string> s_file = new(static () =>
    {
        string path = Path.Combine(AppContext.BaseDirectory, "program-file.txt");
        System.IO.File.WriteAllBytes(path, Of(FileLength, 0));
        return path;
    });

    internal static string File => s_file.Value;

    internal static byte[] Of(int count, int from) => s_bytes.AsSpan(from, count).ToArray();
}
