using System.Globalization;

namespace Ioxide.Handshakes;

/// <summary>One run of <see cref="Flood"/>.</summary>
internal sealed record FloodOptions(string Kind, string Key, int Seconds, int Rounds)
{
    internal static FloodOptions Parse(string[] arguments) => new(
        arguments is [var kind, ..] ? kind : "hello",
        arguments is [_, var key, ..] ? key : "p256",
        arguments is [_, _, var seconds, ..] ? int.Parse(seconds, CultureInfo.InvariantCulture) : 60,
        arguments is [_, _, _, var rounds] ? int.Parse(rounds, CultureInfo.InvariantCulture) : 3);

    /// <summary>What a silent client sends.</summary>
    internal byte[] Bytes()
    {
        byte[] hello = HelloBytes.Make();
        return Kind switch
        {
            "empty" => [0x16, 3, 1, 0, 0],
            "head" => hello[..5],
            "half" => hello[..(hello.Length / 2)],
            "hello" => hello,
            _ => throw new ArgumentException($"A silent client sends empty, head, half or hello, not {Kind}."),
        };
    }
}
