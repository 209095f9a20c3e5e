using System.Diagnostics;
using Ioxide.Files;

namespace Ioxide.FilesBench;

/// <summary>Renames one file of many: processor time, time until it is served by its new name, and memory of the files and of the change.</summary>
internal static class RenameRun
{
    private const int LengthBytes = 205;
    private const int Renames = 10;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(700);

    /// <param name="count">Files.</param>
    /// <param name="filesPerFolder">Files in each folder.</param>
    internal static async Task RunAsync(int count, int filesPerFolder)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-bench-").FullName;
        try
        {
            Fill(folder, count, filesPerFolder);
            string few = Path.Combine(folder, ".few");
            Fill(few, 10, 10);
            await using (WebApplication warm = await SnapshotRun.StartAsync(few))
            {
                await warm.StopAsync();
            }

            long managed = Managed();
            long resident = SnapshotRun.Settled();
            await using WebApplication app = await SnapshotRun.StartAsync(folder);
            managed = Managed() - managed;
            long loaded = SnapshotRun.Settled();
            Console.WriteLine(
                $"{count} files of {LengthBytes} bytes, {filesPerFolder} per folder; beside the content per file: managed "
                + $"{managed / (double)count:0} bytes, resident {(loaded - resident - ((long)count * LengthBytes)) / (double)count:0} bytes");

            // Until the code is compiled for good.
            await RenameAsync(folder, 2 * Renames, 10 * Renames, s_pause / 3);
            await Task.Delay(s_pause);
            long before = ProcessMemory.ResidentBytes(Environment.ProcessId);
            TimeSpan idle = await ProcessorAsync(() => Task.Delay(s_pause * Renames));
            TimeSpan used = await ProcessorAsync(() => RenameAsync(folder, Renames, Renames, s_pause));
            long after = ProcessMemory.ResidentBytes(Environment.ProcessId);
            Console.WriteLine(
                $"each of {Renames} renames: {(used - idle).TotalMilliseconds / Renames:0.0} ms of processor time; resident "
                + $"{before / 1e6:0.0} to {after / 1e6:0.0} MB ({(100.0 * after / before) - 100:+0.0;-0.0} %)");
            Console.WriteLine($"visible after {string.Join(", ", await VisibleAsync(app, folder))} ms");
            await ConstantlyAsync(app, folder);
            await app.StopAsync();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static void Fill(string folder, int count, int filesPerFolder)
    {
        byte[] content = new byte[LengthBytes];
        for (int index = 0; index < count; index++)
        {
            string inner = Path.Combine(folder, $"{index / filesPerFolder}");
            if (index % filesPerFolder == 0)
            {
                Directory.CreateDirectory(inner);
            }

            BitConverter.TryWriteBytes(content, index);
            File.WriteAllBytes(Path.Combine(inner, $"file-{index}.txt"), content);
        }
    }

    /// <summary>Renames some files, one after another, each alone.</summary>
    private static async Task RenameAsync(string folder, int first, int count, TimeSpan pause)
    {
        for (int index = 0; index < count; index++)
        {
            File.Move(Path.Combine(folder, "0", $"file-{first + index}.txt"), Path.Combine(folder, "0", $"renamed-{first + index}.txt"));
            await Task.Delay(pause);
        }
    }

    private static async Task<TimeSpan> ProcessorAsync(Func<Task> action)
    {
        TimeSpan before = Environment.CpuUsage.TotalTime;
        await action();
        return Environment.CpuUsage.TotalTime - before;
    }

    private static async Task<List<string>> VisibleAsync(WebApplication app, string folder)
    {
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        List<string> times = [];
        for (int index = 0; index < Renames; index++)
        {
            long started = Stopwatch.GetTimestamp();
            File.Move(Path.Combine(folder, "0", $"file-{index}.txt"), Path.Combine(folder, "0", $"visible-{index}.txt"));
            await WaitAsync(client, $"/0/visible-{index}.txt");
            times.Add($"{Stopwatch.GetElapsedTime(started).TotalMilliseconds:0}");
        }

        return times;
    }

    /// <summary>A change twice a second, each looked for.</summary>
    private static async Task ConstantlyAsync(WebApplication app, string folder)
    {
        const int Changes = 20;
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        TimeSpan before = Environment.CpuUsage.TotalTime;
        double longest = 0;
        for (int change = 0; change < Changes; change++)
        {
            long started = Stopwatch.GetTimestamp();
            await File.WriteAllTextAsync(Path.Combine(folder, "0", $"change-{change}.txt"), "changed");
            await WaitAsync(client, $"/0/change-{change}.txt");
            longest = Math.Max(longest, Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            TimeSpan rest = TimeSpan.FromMilliseconds(500) - Stopwatch.GetElapsedTime(started);
            await Task.Delay(rest > TimeSpan.Zero ? rest : TimeSpan.Zero);
        }

        Console.WriteLine(
            $"{Changes} changes, two a second: visible after {longest:0} ms at most, "
            + $"{(Environment.CpuUsage.TotalTime - before).TotalSeconds:0.00} s of processor time with the client's");
    }

    private static async Task WaitAsync(HttpClient client, string path)
    {
        while (true)
        {
            using HttpResponseMessage response = await client.GetAsync(new Uri(path, UriKind.Relative));
            if (response.IsSuccessStatusCode)
            {
                return;
            }

            await Task.Delay(10);
        }
    }

    private static long Managed() => GC.GetTotalMemory(forceFullCollection: true);
}
