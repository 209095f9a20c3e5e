namespace Ioxide.LoadKit;

/// <summary>The files that the site of all packages serves, by the key of their bytes.</summary>
internal static class PackageFiles
{
    private static readonly int[] s_lengths = [0, 1, 1000, 4095, 4096, 16_384, 16_385, 65_000, 300_000, 1_500_000];

    internal static int Count => s_lengths.Length;

    internal static string NameOf(int key) => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{key}.bin");

    internal static int LengthOf(int key) => s_lengths[key];
}
