using System.Globalization;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>A value as a real server sends it in both forms; <c>vectors.py</c> makes the file.</summary>
/// <param name="TypeId">The OID.</param>
/// <param name="Binary">The binary form.</param>
/// <param name="Text">The text, with the time zone UTC.</param>
internal sealed record ServerVector(uint TypeId, byte[] Binary, string Text)
{
    internal static IReadOnlyList<ServerVector> All { get; } = Load();

    internal PgField BinaryField => new(Binary, TypeId, PgFormat.Binary);

    public override string ToString() => $"{PgTypeTable.NameOf(TypeId)} '{Text}' {Convert.ToHexString(Binary)}";

    private static List<ServerVector> Load()
    {
        var vectors = new List<ServerVector>();
        foreach (string line in File.ReadAllLines(Path.Combine(Repository.Root, "tests", "Pg", "Types", "vectors.tsv")))
        {
            string[] parts = line.Split('\t');
            vectors.Add(new ServerVector(uint.Parse(parts[0], CultureInfo.InvariantCulture), Convert.FromHexString(parts[1]), Unescape(parts[2])));
        }

        return vectors;
    }

    /// <summary>COPY escapes backslashes, tabs, line ends and their kin.</summary>
    internal static string Unescape(string text)
    {
        var plain = new StringBuilder();
        for (int index = 0; index < text.Length; index++)
        {
            plain.Append(text[index] != '\\' ? text[index] : text[++index] switch { 't' => '\t', 'n' => '\n', 'r' => '\r', 'b' => '\b', 'f' => '\f', 'v' => '\v', var other => other });
        }

        return plain.ToString();
    }
}
