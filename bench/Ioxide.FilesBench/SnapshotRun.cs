using System.Diagnostics;
using Ioxide.Files;

namespace Ioxide.FilesBench;

/// <summary>Loads a folder of many files: how long until the host has started, and what it keeps.</summary>
internal static class SnapshotRun
{
    private const int FileCount = 10_000;
    private const int Rounds = 5;

    internal static async Task RunAsync()
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-bench-").FullName;
        string few = Path.Combine(folder, "few");
        string many = Path.Combine(folder, "many");
        try
        {
            Directory.CreateDirectory(few);
            await File.WriteAllTextAsync(Path.Combine(few, "a.txt"), "a");
            long bytes = Fill(many);
            Console.WriteLine($"{FileCount} files, {bytes / 1e6:0.0} MB, {Environment.ProcessorCount} processors");

            // The code is compiled and the runtime has the memory that it needs anyway.
            for (int round = 0; round < 3; round++)
            {
                await using WebApplication warm = await StartAsync(few);
                await warm.StopAsync();
            }

            for (int round = 0; round < Rounds; round++)
            {
                long before = Settled();
                long started = Stopwatch.GetTimestamp();
                await using WebApplication app = await StartAsync(many);
                TimeSpan time = Stopwatch.GetElapsedTime(started);
                long kept = Settled() - before;
                long counted = app.Services.GetRequiredService<IoxideFiles>().GetStatistics()[0].MemoryBytes;
                Console.WriteLine(
                    $"start {time.TotalSeconds:0.00} s, resident memory +{kept / 1e6:0.0} MB ({(double)kept / bytes:0.000} x bytes), "
                    + $"counted {counted / 1e6:0.0} MB");
                await app.StopAsync();
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static long Fill(string folder)
    {
        const int FilesAFolder = 250;
        var random = new Random(1);
        long bytes = 0;
        for (int index = 0; index < FileCount; index++)
        {
            string path = Path.Combine(folder, $"{index / FilesAFolder}", $"{index}.bin");
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            byte[] content = new byte[random.Next(1000, 39_000)];
            random.NextBytes(content);
            File.WriteAllBytes(path, content);
            bytes += content.Length;
        }

        return bytes;
    }

    internal static async Task<WebApplication> StartAsync(string folder)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.UseIoxide().ConfigureKestrel(static kestrel => kestrel.Listen(System.Net.IPAddress.Loopback, 0));
        builder.Services.AddIoxideFiles();
        WebApplication app = builder.Build();
        app.MapIoxideFiles("/", folder);
        await app.StartAsync();
        return app;
    }

    internal static long Settled()
    {
        for (int round = 0; round < 3; round++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        return ProcessMemory.ResidentBytes(Environment.ProcessId);
    }
}
