using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Runs scripts by the driver's own interface. Values are compared as the text that the server would print.</summary>
internal sealed class NativeTarget(string name, string database, PgDataSource source) : ScriptTarget(name, database)
{
    private const uint FirstOwnType = 16_384;
    private const int FetchSize = 3;

    private PgSession? _session;
    private PgTransaction? _transaction;

    public override async ValueTask DisposeAsync()
    {
        await EndScriptAsync();
        await source.DisposeAsync();
    }

    /// <summary>The OID of a type; those that a database makes have numbers of their own in each.</summary>
    internal static string TypeOf(uint typeId) => typeId < FirstOwnType ? typeId.ToString(CultureInfo.InvariantCulture) : "own";

    internal static async Task CopyInAsync(PgSession session, ScriptStep step)
    {
        await using PgCopyIn copy = await session.CopyInAsync(Encoding.UTF8.GetBytes(step.Statements[0].Positional));
        await copy.WriteAsync(Encoding.UTF8.GetBytes(step.Name));
        if (step.Mode != StepMode.GivenUp)
        {
            await copy.CompleteAsync();
        }
    }

    internal static async Task CopyOutAsync(PgSession session, ScriptStep step, StepAnswer answer)
    {
        var bytes = new MemoryStream();
        PipeWriter writer = PipeWriter.Create(bytes, new StreamPipeWriterOptions(leaveOpen: true));
        await session.CopyOutAsync(Encoding.UTF8.GetBytes(step.Statements[0].Positional), writer);
        await writer.CompleteAsync();
        var result = new AnsweredResult();
        result.Rows.Add([Encoding.UTF8.GetString(bytes.ToArray())]);
        answer.Results.Add(result);
    }

    internal override async Task EndScriptAsync()
    {
        _transaction = null;
        if (Interlocked.Exchange(ref _session, null) is { } session)
        {
            await session.DisposeAsync();
        }
    }

    private protected override async Task RunAsync(ScriptStep step, StepAnswer answer)
    {
        switch (step.Kind)
        {
            case StepKind.Command:
                await CommandAsync(await QueryAsync(step.Statements[0], step.IsShared), step.Mode, answer);
                break;
            case StepKind.Batch or StepKind.Text:
                await BatchAsync((await OpenAsync()).CreateBatch(), step.Statements, answer);
                break;
            case StepKind.Flock:
                await FlockAsync(step, answer, SharedAsync);
                break;
            case StepKind.Cancel:
                PgQuery<PgParameterList> query = await QueryAsync(step.Statements[0], step.IsShared);
                await CancelAsync(step, answer, token => query.ExecuteAsync(token).AsTask(), SharedAsync);
                break;
            case StepKind.CopyIn:
                await CopyInAsync(await OpenAsync(), step);
                break;
            case StepKind.CopyOut:
                await CopyOutAsync(await OpenAsync(), step, answer);
                break;
            default:
                await TransactionAsync(step);
                break;
        }
    }

    private async Task TransactionAsync(ScriptStep step)
    {
        PgSession session = await OpenAsync();
        if (step.Kind == StepKind.Begin)
        {
            var options = new PgTransactionOptions(step.Name.Length > 0 ? Enum.Parse<PgIsolation>(step.Name) : PgIsolation.Default);
            _transaction = await session.BeginAsync(options);
        }
        else if (_transaction is { } transaction)
        {
            _transaction = step.Kind is StepKind.Commit or StepKind.Rollback ? null : transaction;
            await (step.Kind switch
            {
                StepKind.Commit => transaction.CommitAsync(),
                StepKind.Rollback => transaction.RollbackAsync(),
                StepKind.Save => RunAsync(session, $"savepoint {step.Name}"),
                StepKind.RollbackTo => RunAsync(session, $"rollback to savepoint {step.Name}"),
                _ => RunAsync(session, $"release savepoint {step.Name}"),
            });
        }
    }

    private async ValueTask RunAsync(PgSession session, string sql) => await session.Query(source.Statement(sql)).ExecuteAsync();

    private async Task<PgSession> OpenAsync() => _session ??= await source.OpenSessionAsync();

    private async Task<PgQuery<PgParameterList>> QueryAsync(ScriptStatement statement, bool isShared)
    {
        PgStatement parsed = source.Statement(statement.Positional);
        return isShared ? source.Query(parsed, ValuesOf(statement)) : (await OpenAsync()).Query(parsed, ValuesOf(statement));
    }

    private async Task SharedAsync(ScriptStatement statement, StepAnswer answer)
        => await CommandAsync(source.Query(source.Statement(statement.Positional), ValuesOf(statement)), StepMode.Reader, answer);

    private static PgParameterList ValuesOf(ScriptStatement statement) => new([.. statement.Values.Select(static value => value.Native)]);

    private static async Task CommandAsync(PgQuery<PgParameterList> query, StepMode mode, StepAnswer answer)
    {
        var result = new AnsweredResult();
        switch (mode)
        {
            case StepMode.NonQuery:
                result.Affected = Changed(await query.ExecuteAsync());
                break;
            case StepMode.Scalar:
                string[]? first = await query.FirstOrDefaultAsync(row => CellsOf(result, row));
                result.Columns = null;
                result.Rows.Add([first is [string cell, ..] ? cell : "no row"]);
                break;
            case StepMode.Streamed or StepMode.Few:
                await StreamAsync(query, mode, result);
                break;
            default:
                result.Affected = Changed(await query.ForEachAsync(static (row, result) => result.Rows.Add(CellsOf(result, row)), result));
                break;
        }

        answer.Results.Add(result);
    }

    private static async Task StreamAsync(PgQuery<PgParameterList> query, StepMode mode, AnsweredResult result)
    {
        await using PgRows rows = await query.RowsAsync(mode == StepMode.Few ? 0 : FetchSize);
        while (await rows.NextBatchAsync())
        {
            foreach (PgRow row in rows.Batch)
            {
                if (mode != StepMode.Few || result.Rows.Count < 2)
                {
                    result.Rows.Add(CellsOf(result, row));
                }
            }

            if (mode == StepMode.Few && result.Rows.Count >= 2)
            {
                return;
            }
        }

        result.Affected = mode == StepMode.Few ? null : Changed(rows.Tag);
    }

    private async Task BatchAsync(PgBatch batch, IReadOnlyList<ScriptStatement> statements, StepAnswer answer)
    {
        PgSession session = await OpenAsync();
        AnsweredResult[] results = [.. statements.Select(static _ => new AnsweredResult())];
        PgPending<PgTag>[] pending = new PgPending<PgTag>[statements.Count];
        for (int index = 0; index < pending.Length; index++)
        {
            pending[index] = session.Query(source.Statement(statements[index].Positional), ValuesOf(statements[index]))
                .ForEach(batch, static (row, result) => result.Rows.Add(CellsOf(result, row)), results[index]);
        }

        try
        {
            await batch.RunAsync();
        }
        catch (PgException error)
        {
            // What came before the failure is there: all, where the commit failed.
            Add(error.BatchIndex < 0 ? pending.Length : error.BatchIndex);
            throw;
        }

        Add(pending.Length);

        void Add(int count)
        {
            for (int index = 0; index < count; index++)
            {
                results[index].Affected = Changed(pending[index].Result);
                answer.Results.Add(results[index]);
            }
        }
    }

    private static string[] CellsOf(AnsweredResult result, PgRow row)
    {
        if (result.Columns is null)
        {
            result.Columns = [];
            for (int column = 0; column < row.Count; column++)
            {
                result.Columns.Add(new AnsweredColumn(row.GetName(column), TypeOf(row.GetTypeId(column)), ""));
            }
        }

        string[] cells = new string[row.Count];
        for (int column = 0; column < cells.Length; column++)
        {
            var text = new ArrayBufferWriter<byte>();
            row.WriteText(column, text);
            cells[column] = row.IsNull(column) ? "NULL" : $"'{Encoding.UTF8.GetString(text.WrittenSpan)}";
        }

        return cells;
    }

    /// <summary>As ADO.NET counts: rows that were changed, not rows that were returned.</summary>
    private static long Changed(PgTag tag) => tag.Command is "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "COPY" or "MOVE" or "FETCH" ? tag.RowsAffected : -1;
}
