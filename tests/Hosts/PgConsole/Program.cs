using System.Transactions;
using Ioxide.Pg.Data;

// A console program with nothing but a connection string: no host, no reactors of its own, no ASP.NET.
if (args is [var text, "burst"])
{
    // The first use of the process, by all threads of the pool at once.
    const int Callers = 100;
    await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(() =>
    {
        using var caller = new PgDbConnection(text);
        using var scope = new TransactionScope();
        caller.Open();
        caller.ReloadTypes();
        using PgDbCommand answer = caller.CreateCommand();
        answer.CommandText = "select 1";
        answer.ExecuteScalar();
        scope.Complete();
    })));
    Console.WriteLine($"answered {Callers} callers");
    return;
}

if (args is [var busy, "opens"])
{
    // Sessions open while nothing that is queued to the pool's threads runs, and while others want the processors.
    const int Opens = 200;
    int threads = Environment.ProcessorCount;
    ThreadPool.SetMinThreads(threads, 1);
    ThreadPool.SetMaxThreads(threads, threads);
    using var end = new ManualResetEventSlim();
    using var held = new CountdownEvent(threads);
    for (int i = 0; i < threads; i++)
    {
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                held.Signal();
                end.Wait();
            },
            null);
    }

    for (int i = 0; i < 2 * threads; i++)
    {
        new Thread(() => { while (!end.IsSet) { } }) { IsBackground = true }.Start();
    }

    held.Wait();
    for (int i = 0; i < Opens; i++)
    {
        using var opened = new PgDbConnection(busy);
        opened.Open();
    }

    end.Set();
    Console.WriteLine($"opened {Opens}");
    return;
}

using var connection = new PgDbConnection(args[0]);
connection.Open();
using PgDbCommand command = connection.CreateCommand();
command.CommandText = "select 'answered by ' || current_database()";
Console.WriteLine(command.ExecuteScalar());
