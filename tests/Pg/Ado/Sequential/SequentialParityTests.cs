using System.Data;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Columns in their order: the same calls on a row of the facade and of Npgsql have the same answers, whether the row comes whole or in pieces.
/// </summary>
public class SequentialParityTests() : PairTests(Script, TestDatabase.OneReactor)
{
    private const string Script = "select 1";

    // Columns: 0 a number, 1 bytes, 2 a text, 3 NULL, 4 a short text, 5 a jsonb.
    private const string Sql =
        "select 7, convert_to(repeat('0123456789', $1 / 10), 'UTF8'), repeat('aä€😀', $1 / 10), null::bytea, 'tail', to_jsonb(repeat('j', $1))";

    public static TheoryData<string, int> Calls()
    {
        string[] calls =
        [
            // Whole values: each once, in their order.
            "value0 value1 value2 value3 value4 value5", "value0 value0", "value1 value0", "value4", "value4 value1", "value3 value4", "int0 string2",
            "fieldAsync0 fieldAsync1 fieldAsync4", "fieldAsync1 fieldAsync1", "values", "value1 values",

            // Whether it is NULL comes first, and again.
            "null1 value1", "null1 null1 value1 null1", "null1 null0", "nullAsync1 nullAsync1 value1", "null3 null3 value3 value4", "null3 stream3", "null3 value3 fieldAsync3 null3 value3", "null3 bytes3:0:1 stream3 bytes3:length", "null2 null4 value4",

            // Streams.
            "stream1 all value2", "stream1 read:5 value2 read:5", "stream1 read:5 read:0 read:7 dispose value2", "stream1 stream1", "stream1 null1", "stream1 value1",
            "stream1 read:5 dispose stream1", "stream3", "stream2 all", "stream0 all", "streamAsync1 read:3 readAsync:3 readByte seek length position",
            "stream1 dispose read:1", "stream1 read:3 next", "null1 streamAsync1 all", "fieldAsync0 streamAsync1 read:9 dispose streamAsync2 all",
            "stream1 canSeek canRead canWrite", "stream5 dispose value5",

            // Bytes by parts.
            "bytes1:0:4 bytes1:4:4 bytes1:2:2", "bytes1:length bytes1:0:3 bytes1:length", "bytes1:7:3 value2", "bytes1:0:0 bytes1:0:1 value1",
            "bytes1:0:3 stream1", "bytes3:0:1", "bytes3:length", "bytes1:-1:1", "bytes2:0:6", "bytes0:0:4", "bytes1:0:4 null1 bytes1:8:4",

            // Characters by parts.
            "chars2:0:5 chars2:5:5 chars2:3:1", "chars2:1:7 chars2:9:2 value4", "chars2:0:4 chars2:4:1 chars2:5:1", "chars3:0:1",
            "chars2:3:2 chars2:5:2 chars2:7:3", "chars2:-1:1",

            // Text readers.
            "text2 readText value4", "text2 peekText:3 value4", "text3", "textAsync2 readText", "text2 text2", "text5 readText", "null2 text2 readText", "text1",
            "text4 readText",

            // The end of the row.
            "value1 next", "next", "null1 next",
        ];
        var data = new TheoryData<string, int>();
        foreach (string call in calls)
        {
            data.Add(call, 20);
            data.Add(call, 300_000);
        }

        return data;
    }

    [Theory, MemberData(nameof(Calls))]
    public async Task TheSameCallsHaveTheSameAnswers(string calls, int size)
    {
        List<string>[] answers = [await AnswersAsync(Pair.Theirs, calls, size), await AnswersAsync(Pair.Ours, calls, size)];
        Assert.Equal(answers[0], answers[1]);
    }

    private static async Task<List<string>> AnswersAsync(DbConnection connection, string calls, int size)
    {
        await using DbCommand command = connection.Command(Sql + " union all select 8, '', '', null, 'next', 'null'");
        DbParameter parameter = command.CreateParameter();
        parameter.Value = size;
        command.Parameters.Add(parameter);
        await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SequentialAccess);
        Assert.True(await reader.ReadAsync());
        var caller = new Caller(reader);
        var answers = new List<string>();
        foreach (string call in calls.Split(' '))
        {
            answers.Add($"{call}: {await caller.AnswerAsync(call)}");
        }

        return answers;
    }

    private sealed class Caller(DbDataReader reader)
    {
        private Stream _stream = Stream.Null;
        private TextReader _text = TextReader.Null;

        internal async Task<string> AnswerAsync(string call)
        {
            try
            {
                string text = await CallAsync(call);
                return text.Length <= 40 ? text : $"{text.Length} {text[..20]} {string.GetHashCode(text, StringComparison.Ordinal)}";
            }
            catch (Exception exception)
            {
                return exception switch
                {
                    ObjectDisposedException => nameof(ObjectDisposedException),
                    InvalidCastException => nameof(InvalidCastException),
                    InvalidOperationException => nameof(InvalidOperationException),
                    ArgumentOutOfRangeException or IndexOutOfRangeException => nameof(ArgumentOutOfRangeException),
                    _ => exception.GetType().Name,
                };
            }
        }

        private async Task<string> CallAsync(string call)
        {
            string[] parts = call.Split(':');
            string name = parts[0].TrimEnd('0', '1', '2', '3', '4', '5');
            int column = name.Length < parts[0].Length ? parts[0][^1] - '0' : -1;
            int count = parts.Length > 1 && parts[^1] != "length" ? int.Parse(parts[^1], CultureInfo.InvariantCulture) : 0;
            long offset = parts.Length > 2 ? long.Parse(parts[1], CultureInfo.InvariantCulture) : 0;
            bool isLength = parts[^1] == "length" && parts.Length > 1;
            switch (name)
            {
                case "value": return TextOf(reader.GetValue(column));
                case "values":
                    object[] values = new object[6];
                    return $"{reader.GetValues(values)} {string.Join(',', values.Select(TextOf))}";
                case "int": return TextOf(reader.GetInt32(column));
                case "string": return reader.GetString(column);
                case "fieldAsync": return TextOf(await reader.GetFieldValueAsync<object>(column));
                case "null": return TextOf(reader.IsDBNull(column));
                case "nullAsync": return TextOf(await reader.IsDBNullAsync(column));
                case "stream": _stream = reader.GetStream(column); return "open";
                case "streamAsync": _stream = await reader.GetFieldValueAsync<Stream>(column); return "open";
                case "text": _text = reader.GetTextReader(column); return "open";
                case "textAsync": _text = await reader.GetFieldValueAsync<TextReader>(column); return "open";
                case "readText": return await _text.ReadToEndAsync();
                case "peekText": return $"{_text.Peek()} {_text.ReadBlock(new char[count])}";
                case "all":
                    using (var all = new MemoryStream())
                    {
                        await _stream.CopyToAsync(all);
                        return TextOf(all.ToArray());
                    }

                case "read":
                    byte[] read = new byte[count];
                    return TextOf(read[.._stream.ReadAtLeast(read, count, throwOnEndOfStream: false)]);
                case "readAsync":
                    byte[] readAsync = new byte[count];
                    return TextOf(readAsync[..await _stream.ReadAtLeastAsync(readAsync, count, throwOnEndOfStream: false)]);
                case "readByte": return TextOf(_stream.ReadByte());
                case "seek": return TextOf(_stream.Seek(0, SeekOrigin.Begin));
                case "length": return TextOf(_stream.Length);
                case "position": return TextOf(_stream.Position);
                case "canSeek": return TextOf(_stream.CanSeek);
                case "canRead": return TextOf(_stream.CanRead);
                case "canWrite": return TextOf(_stream.CanWrite);
                case "dispose": await _stream.DisposeAsync(); return "disposed";
                case "bytes":
                    byte[] bytes = new byte[count];
                    long got = reader.GetBytes(column, offset, isLength ? null : bytes, 0, count);
                    return $"{got} {TextOf(bytes)}";
                case "chars":
                    char[] chars = new char[count];
                    long gotChars = reader.GetChars(column, offset, isLength ? null : chars, 0, count);
                    return $"{gotChars} {string.Join(',', chars.Select(static c => (int)c))}";
                case "next":
                    Assert.True(await reader.ReadAsync());
                    return $"{reader.GetInt32(0)} {reader.GetString(4)}";
                default: throw new NotSupportedException(call);
            }
        }

        private static string TextOf(object value) => value switch
        {
            byte[] bytes => Convert.ToHexString(bytes),
            DBNull => "NULL",
            _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
        };
    }
}
