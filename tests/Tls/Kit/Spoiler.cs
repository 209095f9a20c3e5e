namespace Ioxide.Tls.Tests;

/// <summary>Changes bytes at random.</summary>
internal static class Spoiler
{
    /// <summary>A copy with one to three changes; it differs from the original.</summary>
    internal static byte[] Spoil(byte[] original, Random random)
    {
        while (true)
        {
            byte[] bytes = original;
            int changes = random.Next(1, 4);
            for (int change = 0; change < changes && bytes.Length > 0; change++)
            {
                bytes = Change(bytes, random);
            }

            if (!bytes.AsSpan().SequenceEqual(original))
            {
                return bytes;
            }
        }
    }

    private static byte[] Change(byte[] bytes, Random random)
    {
        int at = random.Next(bytes.Length);
        switch (random.Next(6))
        {
            case 0:
                return [.. bytes.AsSpan(0, at), .. bytes.AsSpan(at + 1)];
            case 1:
                return [.. bytes.AsSpan(0, at), (byte)random.Next(256), .. bytes.AsSpan(at)];
            case 2:
                return bytes[..at];
            case 3:
                return [.. bytes, .. bytes.AsSpan(at)];
            default:
                byte[] copy = [.. bytes];
                copy[at] ^= (byte)random.Next(1, 256);
                return copy;
        }
    }
}
