using System.Buffers;
using System.Text;
using Ioxide.Pg;

namespace Ioxide.Fuzz;

/// <summary>Messages of a PostgreSQL server, in one segment and in many; each is read as the driver reads it.</summary>
internal sealed class PgMessageTarget() : FuzzTarget("pg-messages")
{
    private const int MaxMessageBytes = 32 * 1024;

    internal override IEnumerable<byte[]> Seeds()
    {
        byte[] description = Message('T', "0002" + "6100" + "000000000000" + "00000017" + "0004" + "ffffffff" + "0000" + "6200" + "000000010002" + "00000019" + "ffff" + "ffffffff" + "0000");
        byte[] row = Message('D', "0002" + "00000004" + "00000007" + "ffffffff");
        yield return [.. Message('1', ""), .. Message('2', ""), .. description, .. row, .. Message('C', Text("SELECT 1\0")), .. Message('Z', "49")];
        yield return [.. Message('E', Text("SERROR\0VERROR\0C22012\0Mdivision by zero\0Dd\0Hh\0P12\0Fint.c\0L841\0Rint4div\0\0")), .. Message('Z', "45")];
        yield return [.. Message('R', "00000000"), .. Message('S', Text("server_version\015.4\0")), .. Message('K', "00000a0b00000c0d")];
        yield return [.. Message('A', "00000001" + Text("channel\0payload\0")), .. Message('t', "00010000" + "0017"), .. Message('s', ""), .. Message('I', "")];
        yield return [.. Message('C', Text("INSERT 0 18446744073709551615\0")), .. Message('C', Text("COPY 12\0")), .. Message('N', Text("SNOTICE\0Mm\0\0"))];
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        List<(byte Type, string Body)> whole = Split(Pieces.Whole(input), out string? refused);
        List<(byte Type, string Body)> cut = Split(Pieces.Of(input), out string? refusedCut);
        Require(whole.SequenceEqual(cut) && refused == refusedCut, $"'{refused}' in one piece, '{refusedCut}' in many.");

        ResultColumns columns = ResultColumns.None;
        var layout = new RowLayout();
        var writer = new ArrayBufferWriter<byte>();
        foreach ((byte type, string text) in whole)
        {
            try
            {
                Take(type, Convert.FromHexString(text), ref columns, layout, writer);
            }
            catch (Exception exception) when (exception is PgProtocolException or PgTypeException)
            {
                // Refused.
            }
        }
    }

    private static void Take(byte type, ReadOnlySpan<byte> body, ref ResultColumns columns, RowLayout layout, ArrayBufferWriter<byte> writer)
    {
        switch (type)
        {
            case BackendMessage.RowDescription:
                columns = ResultColumns.Read(body);
                break;
            case BackendMessage.DataRow:
                layout.Read(body, columns.Count);
                var row = new PgRow(body, layout.Offsets, columns);
                for (int i = 0; i < row.Count; i++)
                {
                    Require(row.GetBytes(i).Length <= body.Length, "A value is longer than its row.");
                    writer.ResetWrittenCount();
                    row.WriteJson(i, writer);
                }

                break;
            case BackendMessage.ErrorResponse or BackendMessage.NoticeResponse:
                _ = new PgException(PgServerMessage.Read(body)).Message;
                break;
            case BackendMessage.CommandComplete:
                _ = PgTag.Read(body).ToString();
                break;
            default:
                var reader = new WireReader(body);
                _ = reader.ReadInt32();
                _ = reader.ReadString();
                _ = reader.ReadCString().Length;
                break;
        }
    }

    private static List<(byte Type, string Body)> Split(in ReadOnlySequence<byte> bytes, out string? refused)
    {
        var messages = new List<(byte, string)>();
        refused = null;
        try
        {
            var reader = new MessageReader(bytes, new MessageScratch(MaxMessageBytes));
            while (reader.TryRead(out byte type, out ReadOnlySpan<byte> body))
            {
                Require(body.Length <= MaxMessageBytes, "A message is longer than it may be.");
                messages.Add((type, Convert.ToHexString(body)));
            }
        }
        catch (PgProtocolException exception)
        {
            refused = exception.Message;
        }

        return messages;
    }

    private static string Text(string text) => Convert.ToHexString(Encoding.UTF8.GetBytes(text));

    private static byte[] Message(char type, string body)
    {
        byte[] bytes = Convert.FromHexString(body);
        int length = bytes.Length + sizeof(int);
        return [(byte)type, (byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length, .. bytes];
    }
}
