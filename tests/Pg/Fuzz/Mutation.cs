namespace Ioxide.Pg.Tests;

/// <summary>Spoils bytes, by a seed.</summary>
internal static class Mutation
{
    private static readonly byte[] s_interesting = [0, 1, 2, 4, 0x7f, 0x80, 0xfe, 0xff];

    /// <summary>A copy with one to four changes: bits, bytes, lengths, cuts, doublings.</summary>
    internal static byte[] Of(Random random, ReadOnlySpan<byte> original)
    {
        byte[] bytes = original.ToArray();
        for (int change = random.Next(1, 5); change > 0 && bytes.Length > 0; change--)
        {
            int at = random.Next(bytes.Length);
            switch (random.Next(7))
            {
                case 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    bytes[at] = s_interesting[random.Next(s_interesting.Length)];
                    break;
                case 2:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 3:
                    bytes = bytes[..at];
                    break;
                case 4:
                    int count = Math.Min(random.Next(1, 9), bytes.Length - at);
                    bytes = [.. bytes[..at], .. bytes[(at + count)..]];
                    break;
                case 5:
                    bytes = [.. bytes[..at], (byte)random.Next(256), .. bytes[at..]];
                    break;
                default:
                    int end = Math.Min(bytes.Length, at + random.Next(1, 33));
                    bytes = [.. bytes[..end], .. bytes[at..end], .. bytes[end..]];
                    break;
            }
        }

        return bytes;
    }
}
