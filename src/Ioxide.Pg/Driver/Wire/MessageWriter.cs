using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Writes a client's messages, each group after one check for space.</summary>
/// <remarks>Source: PostgreSQL manual, 55.7 Message Formats. A length counts itself and not the type in front of it.</remarks>
internal static class MessageWriter
{
    internal const int MaxParameters = ushort.MaxValue;

    // Execute of the unnamed portal, all rows.
    private static ReadOnlySpan<byte> ExecuteAll => [FrontendMessage.Execute, 0, 0, 0, 9, 0, 0, 0, 0, 0];

    private static ReadOnlySpan<byte> SyncMessage => [FrontendMessage.Sync, 0, 0, 0, 4];

    internal static void WriteSync(PipeWriter output) => Write(output, SyncMessage);

    internal static void WriteFlush(PipeWriter output) => Write(output, [FrontendMessage.Flush, 0, 0, 0, 4]);

    internal static void WriteTerminate(PipeWriter output) => Write(output, [FrontendMessage.Terminate, 0, 0, 0, 4]);

    /// <summary>One piece of the data, of at most some ten kilobytes.</summary>
    internal static void WriteCopyData(PipeWriter output, ReadOnlySpan<byte> data)
    {
        if (data.IsEmpty)
        {
            return;
        }

        int length = checked(sizeof(int) + data.Length);
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.CopyData);
        writer.WriteInt32(length);
        writer.WriteBytes(data);
        output.Advance(writer.Position);
    }

    internal static void WriteCopyDone(PipeWriter output) => Write(output, [FrontendMessage.CopyDone, 0, 0, 0, 4]);

    /// <summary>Simple query: any number of statements, results as text.</summary>
    internal static void WriteQuery(PipeWriter output, ReadOnlySpan<byte> sql) => WriteText(output, FrontendMessage.Query, sql);

    internal static void WriteCopyFail(PipeWriter output, ReadOnlySpan<byte> reason) => WriteText(output, FrontendMessage.CopyFail, reason);

    /// <summary>Closes a prepared statement; the unnamed one needs none.</summary>
    internal static void WriteClose(PipeWriter output, ReadOnlySpan<byte> name)
    {
        if (name.IsEmpty)
        {
            return;
        }

        int length = sizeof(int) + 1 + name.Length + 1;
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.Close);
        writer.WriteInt32(length);
        writer.WriteByte(FrontendMessage.Statement);
        writer.WriteCString(name);
        output.Advance(writer.Position);
    }

    internal static void WriteParseAndDescribe<TParameters>(PipeWriter output, PreparedStatement prepared, in TParameters parameters)
        where TParameters : struct, IPgParameters
    {
        ReadOnlySpan<byte> name = prepared.Name;
        ReadOnlySpan<byte> sql = prepared.Statement.Sql;
        int count = CountOf(parameters);
        int parseLength = checked(sizeof(int) + name.Length + 1 + sql.Length + 1 + sizeof(short) + (count * sizeof(int)));
        int describeLength = sizeof(int) + 1 + name.Length + 1;
        var writer = new WireWriter(output.GetSpan(1 + parseLength + 1 + describeLength));
        writer.WriteByte(FrontendMessage.Parse);
        writer.WriteInt32(parseLength);
        writer.WriteCString(name);
        writer.WriteCString(sql);
        writer.WriteInt16(count);
        parameters.WriteTypes(ref writer);
        writer.WriteByte(FrontendMessage.Describe);
        writer.WriteInt32(describeLength);
        writer.WriteByte(FrontendMessage.Statement);
        writer.WriteCString(name);
        output.Advance(writer.Position);
    }

    /// <summary>Bind to the unnamed portal, and Execute.</summary>
    /// <param name="output">The output.</param>
    /// <param name="prepared">The statement; its columns are known.</param>
    /// <param name="parameters">The values.</param>
    /// <param name="maxRows">How many rows to return before the portal is suspended; 0 means all.</param>
    internal static void WriteBindAndExecute<TParameters>(
        PipeWriter output, PreparedStatement prepared, in TParameters parameters, int maxRows = 0)
        where TParameters : struct, IPgParameters
    {
        ResultColumns columns = prepared.Columns!;
        int count = CountOf(parameters);

        // A named statement always returns the columns that it was described with. For an unnamed one the server compares the count.
        bool isOneForAll = columns.IsAllBinary && prepared.Name.Length > 0;
        int formatCount = isOneForAll ? 1 : columns.Count;
        int length = checked(
            sizeof(int) + 1 + prepared.Name.Length + 1 + sizeof(short) + (count * sizeof(short)) + sizeof(short)
            + parameters.Measure() + sizeof(short) + (formatCount * sizeof(short)));
        var writer = new WireWriter(output.GetSpan(1 + length + ExecuteAll.Length));
        writer.WriteByte(FrontendMessage.Bind);
        writer.WriteInt32(length);
        writer.WriteByte(0);
        writer.WriteCString(prepared.Name);
        writer.WriteInt16(count);
        parameters.WriteFormats(ref writer);
        writer.WriteInt16(count);
        parameters.Write(ref writer);
        writer.WriteInt16(formatCount);
        if (isOneForAll)
        {
            writer.WriteInt16((int)PgFormat.Binary);
        }
        else
        {
            foreach (PgFormat format in columns.Formats)
            {
                writer.WriteInt16((int)format);
            }
        }

        if (maxRows == 0)
        {
            writer.WriteBytes(ExecuteAll);
        }
        else
        {
            WriteExecute(ref writer, maxRows);
        }

        if (writer.Position != 1 + length + ExecuteAll.Length)
        {
            throw new InvalidOperationException("A codec wrote another length than it had measured. The message was not sent.");
        }

        output.Advance(writer.Position);
    }

    /// <summary>Asks the unnamed portal for more rows.</summary>
    internal static void WriteExecute(PipeWriter output, int maxRows)
    {
        var writer = new WireWriter(output.GetSpan(ExecuteAll.Length));
        WriteExecute(ref writer, maxRows);
        output.Advance(writer.Position);
    }

    /// <summary>
    /// Executes a portal that is not there, with the reason as its name: the server fails (34000), and undoes what came since the last Sync.
    /// </summary>
    internal static void WriteGivenUp(PipeWriter output, ReadOnlySpan<byte> reason)
    {
        int length = sizeof(int) + reason.Length + 1 + sizeof(int);
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(FrontendMessage.Execute);
        writer.WriteInt32(length);
        writer.WriteCString(reason);
        writer.WriteInt32(0);
        output.Advance(writer.Position);
    }

    private static int CountOf<TParameters>(in TParameters parameters)
        where TParameters : struct, IPgParameters
    {
        int count = parameters.Count;
        return count <= MaxParameters
            ? count
            : throw new ArgumentException(
                $"A statement takes at most {MaxParameters:N0} parameters; this one has {count:N0}. Use an array and unnest().");
    }

    private static void WriteExecute(ref WireWriter writer, int maxRows)
    {
        writer.WriteBytes(ExecuteAll[..^sizeof(int)]);
        writer.WriteInt32(maxRows);
    }

    private static void WriteText(PipeWriter output, byte type, ReadOnlySpan<byte> text)
    {
        int length = checked(sizeof(int) + text.Length + 1);
        var writer = new WireWriter(output.GetSpan(1 + length));
        writer.WriteByte(type);
        writer.WriteInt32(length);
        writer.WriteCString(text);
        output.Advance(writer.Position);
    }

    private static void Write(PipeWriter output, ReadOnlySpan<byte> message)
    {
        message.CopyTo(output.GetSpan(message.Length));
        output.Advance(message.Length);
    }
}
