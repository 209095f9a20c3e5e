using System.IO.Compression;

namespace Ioxide.Files.Sample;

/// <summary>Copies a site and makes <c>.br</c> and <c>.gz</c> siblings of what becomes smaller.</summary>
internal static class Siblings
{
    private static readonly string[] s_compressible = [".html", ".css", ".js", ".svg", ".json"];

    internal static void Make(string source, string target)
    {
        foreach (string file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(target, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy, overwrite: true);
            File.SetLastWriteTimeUtc(copy, File.GetLastWriteTimeUtc(file));
            if (s_compressible.Contains(Path.GetExtension(file)))
            {
                Code(copy, ".br", static output => new BrotliStream(output, CompressionLevel.SmallestSize));
                Code(copy, ".gz", static output => new GZipStream(output, CompressionLevel.SmallestSize));
            }
        }
    }

    private static void Code(string file, string suffix, Func<Stream, Stream> encoder)
    {
        using (FileStream output = File.Create(file + suffix))
        using (Stream coded = encoder(output))
        {
            coded.Write(File.ReadAllBytes(file));
        }

        // A sibling that is older than its file is taken for one of another version.
        File.SetLastWriteTimeUtc(file + suffix, File.GetLastWriteTimeUtc(file));
    }
}
