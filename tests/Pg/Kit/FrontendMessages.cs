namespace Ioxide.Pg.Tests;

/// <summary>The messages that <see cref="RawSession"/> needs. Source: PostgreSQL manual, 55.7 Message Formats.</summary>
internal static class FrontendMessages
{
    internal static byte[] Startup(string user, string database)
        => new MessageBuilder().Int32(196608).Text("user").Text(user).Text("database").Text(database).Byte(0).BuildUntyped();

    internal static byte[] SslRequest() => new MessageBuilder().Int32(80877103).BuildUntyped();

    internal static byte[] GssRequest() => new MessageBuilder().Int32(80877104).BuildUntyped();

    internal static byte[] Query(string sql) => new MessageBuilder().Text(sql).Build('Q');

    internal static byte[] Parse(string name, string sql, params uint[] types)
        => types.Aggregate(new MessageBuilder().Text(name).Text(sql).Int16(types.Length), (message, type) => message.Int32(type)).Build('P');

    /// <summary>Parameters travel as text.</summary>
    internal static byte[] Bind(string portal, string statement, int resultFormat, params byte[]?[] values)
        => values.Aggregate(
            new MessageBuilder().Text(portal).Text(statement).Int16(0).Int16(values.Length),
            (message, value) => message.Value(value)).Int16(1).Int16(resultFormat).Build('B');

    internal static byte[] Describe(char kind, string name) => new MessageBuilder().Byte((byte)kind).Text(name).Build('D');

    internal static byte[] Close(char kind, string name) => new MessageBuilder().Byte((byte)kind).Text(name).Build('C');

    internal static byte[] Execute(string portal, int maxRows = 0) => new MessageBuilder().Text(portal).Int32(maxRows).Build('E');

    internal static byte[] Sync() => new MessageBuilder().Build('S');

    internal static byte[] CopyData(ReadOnlySpan<byte> data) => new MessageBuilder().Bytes(data).Build('d');

    internal static byte[] CopyDone() => new MessageBuilder().Build('c');

    internal static byte[] Terminate() => new MessageBuilder().Build('X');

    /// <summary>Parse, Describe, Bind, Execute and Sync of an unnamed statement.</summary>
    internal static byte[] Extended(string sql, int resultFormat, params byte[]?[] values) =>
        [.. Parse("", sql), .. Describe('S', ""), .. Bind("", "", resultFormat, values), .. Execute(""), .. Sync()];
}
