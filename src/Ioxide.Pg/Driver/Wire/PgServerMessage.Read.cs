namespace Ioxide.Pg;

/// <summary>Reads the body of ErrorResponse and NoticeResponse.</summary>
public sealed partial class PgServerMessage
{
    internal static PgServerMessage Read(ReadOnlySpan<byte> body)
    {
        var message = new PgServerMessage();
        var reader = new WireReader(body);
        for (byte code = reader.ReadByte(); code != 0; code = reader.ReadByte())
        {
            message.Set((char)code, reader.ReadString());
        }

        return message;
    }
}
