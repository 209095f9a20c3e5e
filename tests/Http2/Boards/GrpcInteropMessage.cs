using Grpc.Core;

namespace Ioxide.Http2.Tests;

/// <summary>
/// What the interop descriptions put into their requests and responses, in one message. What a call carries is opaque to HTTP/2, so that its form
/// is our own.
/// </summary>
/// <param name="Payload">Zeroes, of the length that the case says.</param>
internal sealed record GrpcInteropMessage(byte[] Payload)
{
    internal static readonly Marshaller<GrpcInteropMessage> Marshaller = Marshallers.Create(static message => message.Write(), Read);

    /// <summary>How many bytes the response of a unary call has.</summary>
    internal int ResponseBytes { get; init; }

    /// <summary>Whether this message came compressed; null for either.</summary>
    internal bool? ExpectsCompressed { get; init; }

    /// <summary>Each response of a stream: its length, and whether it goes compressed.</summary>
    internal IReadOnlyList<(int LengthBytes, bool IsCompressed)> Responses { get; init; } = [];

    /// <summary>Whether the response of a unary call goes compressed.</summary>
    internal bool IsResponseCompressed { get; init; }

    /// <summary>A status that the call ends with; null for none.</summary>
    internal Status? Status { get; init; }

    /// <summary>Payloads that a client streamed.</summary>
    internal int TotalBytes { get; init; }

    internal static GrpcInteropMessage Of(int lengthBytes) => new(new byte[lengthBytes]);

    private byte[] Write()
    {
        using MemoryStream bytes = new();
        using BinaryWriter writer = new(bytes);
        writer.Write(ResponseBytes);
        writer.Write(TotalBytes);
        writer.Write(IsResponseCompressed);
        writer.Write((sbyte)(ExpectsCompressed switch { null => -1, false => 0, true => 1 }));
        writer.Write(Status is null ? -1 : (int)Status.Value.StatusCode);
        writer.Write(Status?.Detail ?? "");
        writer.Write(Responses.Count);
        foreach ((int lengthBytes, bool isCompressed) in Responses)
        {
            writer.Write(lengthBytes);
            writer.Write(isCompressed);
        }

        writer.Write(Payload.Length);
        writer.Write(Payload);
        writer.Flush();
        return bytes.ToArray();
    }

    private static GrpcInteropMessage Read(byte[] bytes)
    {
        using BinaryReader reader = new(new MemoryStream(bytes));
        (int responseBytes, int totalBytes, bool isResponseCompressed) = (reader.ReadInt32(), reader.ReadInt32(), reader.ReadBoolean());
        bool? expectsCompressed = reader.ReadSByte() switch { -1 => null, 0 => false, _ => true };
        (int code, string detail) = (reader.ReadInt32(), reader.ReadString());
        (int LengthBytes, bool IsCompressed)[] responses = new (int, bool)[reader.ReadInt32()];
        for (int index = 0; index < responses.Length; index++)
        {
            responses[index] = (reader.ReadInt32(), reader.ReadBoolean());
        }

        return new GrpcInteropMessage(reader.ReadBytes(reader.ReadInt32()))
        {
            ResponseBytes = responseBytes,
            TotalBytes = totalBytes,
            IsResponseCompressed = isResponseCompressed,
            ExpectsCompressed = expectsCompressed,
            Status = code < 0 ? null : new Status((StatusCode)code, detail),
            Responses = responses,
        };
    }
}
