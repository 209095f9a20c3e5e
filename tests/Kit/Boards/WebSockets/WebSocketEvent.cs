using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>A whole message, a control frame, or an end.</summary>
/// <param name="Kind">What came.</param>
/// <param name="Payload">Unmasked, whole and inflated; of a broken frame: what is wrong, in words.</param>
internal readonly record struct WebSocketEvent(WebSocketEventKind Kind, byte[] Payload)
{
    private const int NoCode = 1005;

    /// <summary>The connection is over.</summary>
    internal bool IsEnd => Kind is WebSocketEventKind.Finished or WebSocketEventKind.Reset;

    /// <summary>A close frame's; 1005 where it has none.</summary>
    internal int CloseCode => Payload.Length >= sizeof(ushort) ? BinaryPrimitives.ReadUInt16BigEndian(Payload) : NoCode;

    internal static WebSocketEvent Of(WebSocketEventKind kind) => new(kind, []);

    internal static WebSocketEvent Broken(string what) => new(WebSocketEventKind.Broken, Encoding.UTF8.GetBytes(what));

    internal bool IsSame(WebSocketEvent other) => Kind == other.Kind && Payload.AsSpan().SequenceEqual(other.Payload);

    public override string ToString() => Kind switch
    {
        WebSocketEventKind.Close => string.Create(CultureInfo.InvariantCulture, $"close {CloseCode}"),
        WebSocketEventKind.Finished => "FIN",
        WebSocketEventKind.Reset => "RST",
        WebSocketEventKind.Broken => Encoding.UTF8.GetString(Payload),
        _ => Kind.ToString().ToLowerInvariant(),
    };
}
