using System.Buffers;
using Ioxide.Pg;
using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Sides;

/// <summary>One caller: a loop on the reactor. The loop's own state is all that it allocates.</summary>
internal sealed class IoxideCaller(PgDataSource db, int caller, BenchWorkload workload, Turn turn)
{
    private static readonly PgStatement<int> s_world = PgStatement.Create<int>("select randomnumber from world where id = $1"u8);

    private static readonly PgStatement<int, int> s_update =
        PgStatement.Create<int, int>("update updates set randomnumber = $2 where id = $1"u8);

    private static readonly PgStatement s_fortunes = PgStatement.Create("select id, message from fortunes"u8);

    private static readonly PgStatement<int, int> s_items = PgStatement.Create<int, int>(
        "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items where id between $1 and $2"u8);

    private static readonly PgStatement s_allItems = PgStatement.Create(
        "select id, name, category, price, quantity, active, tags, rating_score, rating_count from items"u8);

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IdSource _ids = new(caller);

    internal Task Ended => _ended.Task;

    /// <summary>Called on the reactor.</summary>
    internal void Start() => _ = RunAsync();

    private async Task RunAsync()
    {
        try
        {
            await LoopAsync();
            _ended.SetResult();
        }
        catch (Exception exception)
        {
            _ended.SetException(exception);
        }
    }

    private Task LoopAsync() => workload.Kind switch
    {
        WorkloadKind.PrimaryKey => PrimaryKeyAsync(),
        WorkloadKind.Batch => BatchAsync(),
        WorkloadKind.UpdateBatch => UpdateBatchAsync(),
        WorkloadKind.Fortunes => FortunesAsync(),
        WorkloadKind.FortuneObjects => FortuneObjectsAsync(),
        WorkloadKind.Items => ItemsAsync(),
        WorkloadKind.ItemObjects => ItemObjectsAsync(),
        WorkloadKind.ItemsJson => ItemsJsonAsync(),
        _ => StreamAsync(),
    };

    private async Task PrimaryKeyAsync()
    {
        while (turn.GoesOn)
        {
            int id = _ids.Next(Tables.WorldCount);
            long began = turn.Begin(caller);
            int number = await db.Query(s_world, id).ScalarAsync<int>();
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.RandomNumber(id), number, "world");
        }
    }

    private async Task BatchAsync()
    {
        int count = workload.QueriesACall;
        int[] ids = new int[count];
        PgPending<int>[] answers = new PgPending<int>[count];
        PgBatch batch = db.CreateBatch();
        while (turn.GoesOn)
        {
            long began = turn.Begin(caller);
            batch.Clear();
            for (int i = 0; i < count; i++)
            {
                ids[i] = _ids.Next(Tables.WorldCount);
                answers[i] = db.Query(s_world, ids[i]).Scalar<int>(batch);
            }

            await batch.RunAsync();
            turn.End(caller, began);
            for (int i = 0; i < count; i++)
            {
                WrongAnswerException.ThrowUnless(Tables.RandomNumber(ids[i]), answers[i].Result, "world");
            }
        }
    }

    private async Task UpdateBatchAsync()
    {
        int count = workload.QueriesACall;
        PgPending<PgTag>[] answers = new PgPending<PgTag>[count];
        PgBatch batch = db.CreateBatch();
        while (turn.GoesOn)
        {
            long began = turn.Begin(caller);
            batch.Clear();
            for (int i = 0; i < count; i++)
            {
                int id = _ids.Next(Tables.WorldCount);
                answers[i] = db.Query(s_update, id, Tables.RandomNumber(id)).Execute(batch);
            }

            await batch.RunAsync();
            turn.End(caller, began);
            foreach (PgPending<PgTag> answer in answers)
            {
                WrongAnswerException.ThrowUnless(1, answer.Result.RowsAffected, "updates");
            }
        }
    }

    private async Task FortunesAsync()
    {
        var sum = new RowSum();
        while (turn.GoesOn)
        {
            sum.Clear();
            long began = turn.Begin(caller);
            await db.Query(s_fortunes).ForEachAsync(RowSum.AddFortune, sum);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.FortuneSum, sum.Value, "fortunes");
        }
    }

    private async Task FortuneObjectsAsync()
    {
        PgRowReader<Fortune> reader = Fortune.Read;
        while (turn.GoesOn)
        {
            long began = turn.Begin(caller);
            List<Fortune> fortunes = await db.Query(s_fortunes).ListAsync(reader);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.FortuneCount, fortunes.Count, "fortunes");
        }
    }

    private async Task ItemsAsync()
    {
        var sum = new RowSum();
        int count = workload.RowCount;
        while (turn.GoesOn)
        {
            sum.Clear();
            int first = _ids.Next(Tables.ItemCount - count);
            long began = turn.Begin(caller);
            await db.Query(s_items, first, first + count - 1).ForEachAsync(RowSum.AddItem, sum);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(count, sum.RowCount, "items");
            WrongAnswerException.ThrowUnless(Tables.ItemsSum(first, first + count - 1), sum.Value, "items");
        }
    }

    private async Task ItemObjectsAsync()
    {
        PgRowReader<Item> reader = Item.Read;
        int count = workload.RowCount;
        while (turn.GoesOn)
        {
            int first = _ids.Next(Tables.ItemCount - count);
            long began = turn.Begin(caller);
            List<Item> items = await db.Query(s_items, first, first + count - 1).ListAsync(reader);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(count, items.Count, "items");
            WrongAnswerException.ThrowUnless(Tables.ItemsSum(items[0].Id, items[0].Id), items[0].Sum, "items");
        }
    }

    private async Task ItemsJsonAsync()
    {
        var writer = new ArrayBufferWriter<byte>(64 * 1024);
        int count = workload.RowCount;
        while (turn.GoesOn)
        {
            writer.ResetWrittenCount();
            int first = _ids.Next(Tables.ItemCount - count);
            long began = turn.Begin(caller);
            await db.Query(s_items, first, first + count - 1).WriteJsonAsync(writer);
            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.JsonLength(first, first + count - 1), writer.WrittenCount, "items as JSON");
        }
    }

    private async Task StreamAsync()
    {
        while (turn.GoesOn)
        {
            long sum = 0;
            long began = turn.Begin(caller);
            await using (PgRows rows = await db.Query(s_allItems).RowsAsync())
            {
                while (await rows.NextBatchAsync())
                {
                    foreach (PgRow row in rows.Batch)
                    {
                        sum += Item.SumOf(row);
                    }
                }
            }

            turn.End(caller, began);
            WrongAnswerException.ThrowUnless(Tables.ItemsSum(1, Tables.ItemCount), sum, "items");
        }
    }
}
