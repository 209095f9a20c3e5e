using System.Buffers;
using System.Text;
using System.Text.Json;
using Ioxide.PgBench.Turns;
using Npgsql;

namespace Ioxide.PgBench.Sides;

/// <summary>One caller of Npgsql with a connection and prepared commands of its own.</summary>
internal sealed class NpgsqlCaller(NpgsqlConnection connection, int caller, BenchWorkload workload) : IAsyncDisposable
{
    internal const string World = "select randomnumber from world where id = $1";
    private const string Update = "update updates set randomnumber = $2 where id = $1";
    private const string Fortunes = "select id, message from fortunes";
    private const string ItemRange = Tables.Items + " where id between $1 and $2";

    private readonly NpgsqlParameter<int> _first = new();
    private readonly NpgsqlParameter<int> _second = new();
    private IdSource _ids = new(caller);
    private NpgsqlCommand? _command;
    private NpgsqlBatch? _batch;

    internal Task PrepareAsync()
    {
        if (workload.Kind is WorkloadKind.Batch or WorkloadKind.UpdateBatch)
        {
            _batch = new NpgsqlBatch(connection);
            for (int i = 0; i < workload.QueriesACall; i++)
            {
                var command = new NpgsqlBatchCommand(workload.Kind == WorkloadKind.Batch ? World : Update);
                command.Parameters.Add(new NpgsqlParameter<int>());
                if (workload.Kind == WorkloadKind.UpdateBatch)
                {
                    command.Parameters.Add(new NpgsqlParameter<int>());
                }

                _batch.BatchCommands.Add(command);
            }

            return _batch.PrepareAsync();
        }

        _command = new NpgsqlCommand(SqlOf(workload.Kind), connection);
        if (workload.Kind == WorkloadKind.PrimaryKey)
        {
            _command.Parameters.Add(_first);
        }
        else if (_command.CommandText == ItemRange)
        {
            _command.Parameters.Add(_first);
            _command.Parameters.Add(_second);
        }

        return _command.PrepareAsync();
    }

    internal Task LoopAsync(Turn turn) => workload.Kind switch
    {
        WorkloadKind.PrimaryKey => PrimaryKeyAsync(turn),
        WorkloadKind.Batch => BatchAsync(turn),
        WorkloadKind.UpdateBatch => UpdateBatchAsync(turn),
        WorkloadKind.Fortunes => FortunesAsync(turn),
        WorkloadKind.FortuneObjects => FortuneObjectsAsync(turn),
        WorkloadKind.ItemObjects => ItemObjectsAsync(turn),
        WorkloadKind.ItemsJson => ItemsJsonAsync(turn),
        _ => ItemsAsync(turn),
    };

    public async ValueTask DisposeAsync()
    {
        await connection.DisposeAsync().ConfigureAwait(false);
        _command?.Dispose();
        _batch?.Dispose();
    }

    private static string SqlOf(WorkloadKind kind) => kind switch
    {
        WorkloadKind.PrimaryKey => World,
        WorkloadKind.Fortunes or WorkloadKind.FortuneObjects => Fortunes,
        WorkloadKind.ItemsStreamed => Tables.Items,
        _ => ItemRange,
    };

    private async Task PrimaryKeyAsync(Turn turn)
    {
        while (turn.GoesOn)
        {
            int id = _ids.Next(Tables.WorldCount);
            _first.TypedValue = id;
            long began = turn.Begin(caller);
            int number = 0;
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                if (await reader.ReadAsync().ConfigureAwait(false))
                {
                    number = reader.GetInt32(0);
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }

    private async Task BatchAsync(Turn turn)
    {
        NpgsqlParameter<int>[] parameters =
            [.. _batch!.BatchCommands.Cast<NpgsqlBatchCommand>().Select(static command => (NpgsqlParameter<int>)command.Parameters[0])];
        while (turn.GoesOn)
        {
            foreach (NpgsqlParameter<int> parameter in parameters)
            {
                parameter.TypedValue = _ids.Next(Tables.WorldCount);
            }

            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _batch.ExecuteReaderAsync().ConfigureAwait(false))
            {
                for (int i = 0; i < parameters.Length; i++)
                {
                    int number = await reader.ReadAsync().ConfigureAwait(false) ? reader.GetInt32(0) : 0;
                    WrongAnswerException.ThrowUnless(Tables.RandomNumber(parameters[i].TypedValue), number, "world");
                    await reader.NextResultAsync().ConfigureAwait(false);
                }
            }

            turn.End(caller, began);
        }
    }

    private async Task UpdateBatchAsync(Turn turn)
    {
        while (turn.GoesOn)
        {
            foreach (NpgsqlBatchCommand command in _batch!.BatchCommands)
            {
                int id = _ids.Next(Tables.WorldCount);
                ((NpgsqlParameter<int>)command.Parameters[0]).TypedValue = id;
                ((NpgsqlParameter<int>)command.Parameters[1]).TypedValue = Tables.RandomNumber(id);
            }

            long began = turn.Begin(caller);
            int changed = await _batch.ExecuteNonQueryAsync().ConfigureAwait(false);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(workload.QueriesACall, changed, "updates");
        }
    }

    private async Task FortunesAsync(Turn turn)
    {
        while (turn.GoesOn)
        {
            long sum = 0;
            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                while (await reader.ReadAsync().ConfigureAwait(false))
                {
                    sum += reader.GetInt32(0) + Encoding.UTF8.GetByteCount(reader.GetString(1));
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.FortuneSum, sum, "fortunes");
        }
    }

    private async Task FortuneObjectsAsync(Turn turn)
    {
        while (turn.GoesOn)
        {
            var fortunes = new List<Fortune>();
            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                while (await reader.ReadAsync().ConfigureAwait(false))
                {
                    fortunes.Add(new Fortune(reader.GetInt32(0), reader.GetString(1)));
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.FortuneCount, fortunes.Count, "fortunes");
        }
    }

    private async Task ItemsAsync(Turn turn)
    {
        bool isWhole = workload.Kind == WorkloadKind.ItemsStreamed;
        while (turn.GoesOn)
        {
            int first = isWhole ? 1 : SetRange();
            long sum = 0;
            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                while (await reader.ReadAsync().ConfigureAwait(false))
                {
                    // Every text here is ASCII, so that its characters are its bytes.
                    sum += reader.GetInt32(0) + reader.GetString(1).Length + reader.GetString(2).Length + reader.GetInt32(3)
                        + reader.GetInt32(4) + (reader.GetBoolean(5) ? 1 : 0) + reader.GetString(6).Length + reader.GetInt32(7)
                        + reader.GetInt32(8);
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.ItemsSum(first, first + workload.RowCount - 1), sum, "items");
        }
    }

    private async Task ItemObjectsAsync(Turn turn)
    {
        while (turn.GoesOn)
        {
            SetRange();
            var items = new List<Item>();
            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                while (await reader.ReadAsync().ConfigureAwait(false))
                {
                    items.Add(new Item(
                        reader.GetInt32(0), reader.GetString(1), reader.GetString(2), reader.GetInt32(3), reader.GetInt32(4),
                        reader.GetBoolean(5), reader.GetString(6), reader.GetInt32(7), reader.GetInt32(8)));
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(workload.RowCount, items.Count, "items");
            WrongAnswerException.ThrowUnless(Tables.ItemsSum(items[0].Id, items[0].Id), items[0].Sum, "items");
        }
    }

    private async Task ItemsJsonAsync(Turn turn)
    {
        JsonEncodedText[] names = [.. Tables.Columns.Select(static name => JsonEncodedText.Encode(name))];
        var buffer = new ArrayBufferWriter<byte>(64 * 1024);
        await using var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { SkipValidation = true });
        while (turn.GoesOn)
        {
            int first = SetRange();
            buffer.ResetWrittenCount();
            writer.Reset(buffer);
            long began = turn.Begin(caller);
            await using (NpgsqlDataReader reader = await _command!.ExecuteReaderAsync().ConfigureAwait(false))
            {
                writer.WriteStartArray();
                while (await reader.ReadAsync().ConfigureAwait(false))
                {
                    WriteItem(writer, reader, names);
                }

                writer.WriteEndArray();
                writer.Flush();
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(
                Tables.JsonLength(first, first + workload.RowCount - 1), buffer.WrittenCount, "items as JSON");
        }
    }

    private static void WriteItem(Utf8JsonWriter writer, NpgsqlDataReader reader, JsonEncodedText[] names)
    {
        writer.WriteStartObject();
        writer.WriteNumber(names[0], reader.GetInt32(0));
        writer.WriteString(names[1], reader.GetString(1));
        writer.WriteString(names[2], reader.GetString(2));
        writer.WriteNumber(names[3], reader.GetInt32(3));
        writer.WriteNumber(names[4], reader.GetInt32(4));
        writer.WriteBoolean(names[5], reader.GetBoolean(5));
        writer.WritePropertyName(names[6]);
        writer.WriteRawValue(reader.GetString(6), skipInputValidation: true);
        writer.WriteNumber(names[7], reader.GetInt32(7));
        writer.WriteNumber(names[8], reader.GetInt32(8));
        writer.WriteEndObject();
    }

    private int SetRange()
    {
        int first = _ids.Next(Tables.ItemCount - workload.RowCount);
        _first.TypedValue = first;
        _second.TypedValue = first + workload.RowCount - 1;
        return first;
    }
}
