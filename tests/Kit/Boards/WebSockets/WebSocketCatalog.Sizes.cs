namespace Ioxide.TestKit;

/// <content>Sections 9 and 10: large messages, many fragments, pieces and turns. That each comes back whole is looked at, not how fast.</content>
internal static partial class WebSocketCatalog
{
    private const int Kilobyte = 1024;
    private const int Megabyte = 1024 * 1024;

    // The catalogue's thousand say how fast a server is.
    private const int TurnCount = 100;

    private static IEnumerable<WebSocketCase> Sizes()
    {
        int[] lengths = [64 * Kilobyte, 256 * Kilobyte, Megabyte, 4 * Megabyte, 8 * Megabyte, 16 * Megabyte];
        int[] fragments = [64, 256, Kilobyte, 4 * Kilobyte, 16 * Kilobyte, 64 * Kilobyte, 256 * Kilobyte, Megabyte, 4 * Megabyte];
        int[] chops = [64, 128, 256, 512, Kilobyte, 2 * Kilobyte];
        int[] turns = [0, 16, 64, 256, Kilobyte, 4 * Kilobyte];
        foreach ((int offset, int opcode) in new[] { (0, WebSocketFrame.Text), (1, WebSocketFrame.Binary) })
        {
            for (int index = 0; index < lengths.Length; index++)
            {
                yield return Large($"9.{1 + offset}.{index + 1}", opcode, lengths[index], 0, 0);
            }

            for (int index = 0; index < fragments.Length; index++)
            {
                yield return Large($"9.{3 + offset}.{index + 1}", opcode, 4 * Megabyte, fragments[index], 0);
            }

            for (int index = 0; index < chops.Length; index++)
            {
                yield return Large($"9.{5 + offset}.{index + 1}", opcode, Megabyte, 0, chops[index]);
            }

            for (int index = 0; index < turns.Length; index++)
            {
                int lengthBytes = turns[index];
                yield return new WebSocketCase(
                    $"9.{7 + offset}.{index + 1}", Framing, WebSocketEnding.Clean,
                    () => Enumerable.Repeat(Turn(opcode, Payload(opcode, lengthBytes), 0, 0), TurnCount));
            }
        }

        yield return Large("10.1.1", WebSocketFrame.Text, 64 * Kilobyte, 1300, 0);
    }

    private static WebSocketCase Large(string id, int opcode, int lengthBytes, int fragmentBytes, int chopBytes)
        => new(
            id, fragmentBytes == 0 ? Framing : Fragmentation, WebSocketEnding.Clean,
            () => [Turn(opcode, Payload(opcode, lengthBytes), fragmentBytes, chopBytes)]);

    private static WebSocketTurn Turn(int opcode, byte[] message, int fragmentBytes, int chopBytes)
        => WebSocketTurn.Of(WebSocketFrame.Message(opcode, message, fragmentBytes), Of(opcode, message)) with { ChopBytes = chopBytes };
}
