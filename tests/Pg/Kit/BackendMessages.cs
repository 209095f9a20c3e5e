using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>The messages that a <see cref="FakeServer"/> sends. Source: PostgreSQL manual, 55.7 Message Formats.</summary>
internal static class BackendMessages
{
    internal const uint Int4 = 23;
    internal const uint Text = 25;

    internal static byte[] AuthenticationOk() => Authentication(0);

    internal static byte[] Authentication(int code, params byte[] rest) => new MessageBuilder().Int32(code).Bytes(rest).Build('R');

    internal static byte[] ParameterStatus(string name, string value) => new MessageBuilder().Text(name).Text(value).Build('S');

    internal static byte[] BackendKeyData(int processId, int key) => new MessageBuilder().Int32(processId).Int32(key).Build('K');

    /// <param name="state"><c>I</c> idle, <c>T</c> in a transaction, <c>E</c> in a failed one.</param>
    internal static byte[] ReadyForQuery(char state = 'I') => new MessageBuilder().Byte((byte)state).Build('Z');

    internal static byte[] ParseComplete() => new MessageBuilder().Build('1');

    internal static byte[] BindComplete() => new MessageBuilder().Build('2');

    internal static byte[] NoData() => new MessageBuilder().Build('n');

    internal static byte[] PortalSuspended() => new MessageBuilder().Build('s');

    internal static byte[] CommandComplete(string tag) => new MessageBuilder().Text(tag).Build('C');

    internal static byte[] ParameterDescription(params uint[] types)
        => types.Aggregate(new MessageBuilder().Int16(types.Length), (message, type) => message.Int32(type)).Build('t');

    /// <param name="columns">Name, type and format (0 text, 1 binary) of each.</param>
    internal static byte[] RowDescription(params (string Name, uint Type, int Format)[] columns)
        => columns.Aggregate(
            new MessageBuilder().Int16(columns.Length),
            (message, column) => message.Text(column.Name).Int32(0).Int16(0).Int32(column.Type).Int16(-1).Int32(-1).Int16(column.Format))
            .Build('T');

    /// <param name="values">Null for NULL.</param>
    internal static byte[] DataRow(params byte[]?[] values)
        => values.Aggregate(new MessageBuilder().Int16(values.Length), (message, value) => message.Value(value)).Build('D');

    /// <summary>A row of values in text format.</summary>
    internal static byte[] TextRow(params string?[] values)
        => DataRow([.. values.Select(value => value is null ? null : Encoding.UTF8.GetBytes(value))]);

    /// <summary>A row of one int4 in binary format.</summary>
    internal static byte[] Int4Row(int value) => new MessageBuilder().Int16(1).Int32(4).Int32(value).Build('D');

    /// <param name="state">SQLSTATE.</param>
    /// <param name="text">The primary message.</param>
    /// <param name="severity">ERROR, FATAL or PANIC.</param>
    /// <param name="fields">More fields by their code, such as <c>('D', "detail")</c>.</param>
    internal static byte[] ErrorResponse(string state, string text, string severity = "ERROR", params (char Code, string Value)[] fields)
        => Report('E', severity, state, text, fields);

    internal static byte[] NoticeResponse(string state, string text, string severity = "NOTICE", params (char Code, string Value)[] fields)
        => Report('N', severity, state, text, fields);

    internal static byte[] NotificationResponse(int processId, string channel, string payload)
        => new MessageBuilder().Int32(processId).Text(channel).Text(payload).Build('A');

    internal static byte[] CopyBothResponse(int format, int columns)
        => Enumerable.Repeat(format, columns)
            .Aggregate(new MessageBuilder().Byte((byte)format).Int16(columns), (message, column) => message.Int16(column))
            .Build('W');

    /// <summary>What a server sends after it let a client in, up to the first ReadyForQuery.</summary>
    internal static byte[][] Welcome(int processId = 4711, int key = 815) =>
    [
        AuthenticationOk(),
        ParameterStatus("server_version", "15.18"),
        ParameterStatus("server_encoding", "UTF8"),
        ParameterStatus("client_encoding", "UTF8"),
        ParameterStatus("integer_datetimes", "on"),
        ParameterStatus("standard_conforming_strings", "on"),
        ParameterStatus("TimeZone", "UTC"),
        ParameterStatus("in_hot_standby", "off"),
        ParameterStatus("default_transaction_read_only", "off"),
        BackendKeyData(processId, key),
        ReadyForQuery(),
    ];

    private static byte[] Report(char type, string severity, string state, string text, (char Code, string Value)[] fields)
    {
        (char Code, string Value)[] all = [('S', severity), ('V', severity), ('C', state), ('M', text), .. fields];
        return all.Aggregate(new MessageBuilder(), (message, field) => message.Byte((byte)field.Code).Text(field.Value))
            .Byte(0).Build(type);
    }
}
