namespace Ioxide.Fuzz;

/// <summary>Inputs made from known ones: bits turned, bytes replaced, inserted and removed, parts repeated and joined.</summary>
/// <param name="seed">The same seed gives the same inputs.</param>
/// <param name="known">At least one.</param>
internal sealed class InputMutation(int seed, byte[][] known)
{
    private const int MaxSteps = 8;

    private static readonly byte[] s_edges = [0, 1, 0x7F, 0x80, 0xFF, (byte)'\'', (byte)'"', (byte)'$', (byte)'-', (byte)',', (byte)'=', (byte)'\\'];

    private readonly Random _random = new(seed);

    internal byte[] Next()
    {
        List<byte> input = [.. Pick()];
        for (int steps = _random.Next(1, MaxSteps); steps > 0; steps--)
        {
            int at = _random.Next(input.Count + 1);
            switch (_random.Next(7))
            {
                case 0 when at < input.Count:
                    input[at] ^= (byte)(1 << _random.Next(8));
                    break;
                case 1 when at < input.Count:
                    input[at] = (byte)_random.Next(256);
                    break;
                case 2 when at < input.Count:
                    input[at] = s_edges[_random.Next(s_edges.Length)];
                    break;
                case 3:
                    input.Insert(at, s_edges[_random.Next(s_edges.Length)]);
                    break;
                case 4:
                    input.RemoveRange(at, _random.Next(Math.Min(16, input.Count - at) + 1));
                    break;
                case 5:
                    input.InsertRange(at, [.. input.Skip(_random.Next(input.Count + 1)).Take(_random.Next(64))]);
                    break;
                default:
                    byte[] other = Pick();
                    input.InsertRange(at, other.AsSpan(_random.Next(other.Length + 1)));
                    break;
            }
        }

        return [.. input.Take(64 * 1024)];
    }

    private byte[] Pick() => known[_random.Next(known.Length)];
}
