namespace Ioxide.Files.Tests;

/// <summary>A folder that changes is served anew, and every answer is of one version, also those that are under way.</summary>
/// <remarks>Slow: a thousand reloads take 5 s.</remarks>
public class ReloadTests
{
    [Fact]
    public async Task AChangeIsSeenByTheWatch()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "one").With("b/c.txt", "c");
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder, Watch);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("one", (await client.GetAsync("/a.txt")).Text);

        await AfterReloadAsync(server, () => folder.Replace("a.txt", "two"u8.ToArray()), async () => (await client.GetAsync("/a.txt")).Text == "two");
        await AfterReloadAsync(server, () => File.WriteAllText(folder["a.txt"], "three"), async () => (await client.GetAsync("/a.txt")).Text == "three");
        await AfterReloadAsync(server, () => File.Delete(folder["b/c.txt"]), async () => (await client.GetAsync("/b/c.txt")).Status == 404);

        // A folder that is new is watched too.
        await AfterReloadAsync(server, () => folder.With("d/e/f.txt", "f"), async () => (await client.GetAsync("/d/e/f.txt")).Status == 200);
        await AfterReloadAsync(server, () => folder.Replace("d/e/f.txt", "g"u8.ToArray()), async () => (await client.GetAsync("/d/e/f.txt")).Text == "g");
    }

    [Fact]
    public async Task AReloadThatFailsKeepsWhatWasRead()
    {
        using TestFolder outer = new TestFolder().With("root/a.txt", "one");
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup { Way = Way.ShortCircuit, Folder = outer["root"] });
        using RawClient client = await server.ConnectAsync();
        Directory.Move(outer["root"], outer["away"]);
        await Assert.ThrowsAnyAsync<IOException>(() => server.Files.ReloadAsync());
        Assert.Equal("one", (await client.GetAsync("/a.txt")).Text);

        Directory.Move(outer["away"], outer["root"]);
        await server.Files.ReloadAsync();
        Assert.Equal("one", (await client.GetAsync("/a.txt")).Text);
    }

    [Fact]
    public async Task AThousandReloadsUnderLoadNeverMixVersions()
    {
        const int Reloads = 1000;
        const int LengthBytes = 100_000;
        using TestFolder folder = new TestFolder().With("a.bin", Version(0, LengthBytes));
        long before = await NativeMemory.SettledAsync();
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using var stop = new CancellationTokenSource();
        Task<int>[] readers = [.. Enumerable.Range(0, 4).Select(index => ReadAsync(server, index, stop.Token))];
        for (int reload = 1; reload <= Reloads; reload++)
        {
            folder.Replace("a.bin", Version(reload, LengthBytes));
            await server.Files.ReloadAsync();
        }

        await stop.CancelAsync();
        int[] answers = await Task.WhenAll(readers).WaitAsync(30.Seconds());
        Assert.All(answers, static count => Assert.True(count > 0));
        using RawClient client = await server.ConnectAsync();
        Payload.AssertSame(Version(Reloads, LengthBytes), (await client.GetAsync("/a.bin")).Body);

        // Versions that nobody names any more are freed: there are not a thousand of them.
        Assert.InRange(await NativeMemory.SettledAsync() - before, LengthBytes, 20 * LengthBytes);
    }

    [Fact]
    public async Task AnAnswerUnderWayGoesOnFromTheVersionItBeganWith()
    {
        const int LengthBytes = 30_000_000;
        using TestFolder folder = new TestFolder().With("a.bin", Version(1, LengthBytes));
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using RawClient client = await server.ConnectAsync(receiveBufferBytes: 4096);
        await client.SendAsync(RawClient.Get("/a.bin"));
        await client.ReadHeadAsync();

        for (int version = 2; version < 12; version++)
        {
            folder.Replace("a.bin", Version(version, 1000));
            await server.Files.ReloadAsync();
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Payload.AssertSame(Version(1, LengthBytes), await client.ReadExactlyAsync(LengthBytes));
        Payload.AssertSame(Version(11, 1000), (await client.GetAsync("/a.bin")).Body);
    }

    private static void Watch(IoxideFilesOptions options)
    {
        options.WatchForChanges = true;
        options.ReloadDelay = 10.Milliseconds();
    }

    /// <summary>Changes something and waits for reloads until the change is served.</summary>
    private static async Task AfterReloadAsync(FileServer server, Action change, Func<Task<bool>> isServed)
    {
        using var patience = new CancellationTokenSource(20.Seconds());
        int before = server.Site.Generation;
        change();
        do
        {
            await Waits.Eventually(() => server.Site.Generation != before, 20.Seconds(), "The change was not noticed.");
            before = server.Site.Generation;
            patience.Token.ThrowIfCancellationRequested();
        }
        while (!await isServed());
    }

    /// <summary>Asks for the file again and again, now whole, now in parts, and checks that each byte is of one version.</summary>
    private static async Task<int> ReadAsync(FileServer server, int reader, CancellationToken stop)
    {
        using RawClient client = await server.ConnectAsync();
        int count = 0;
        while (!stop.IsCancellationRequested)
        {
            RawResponse response = await client.GetAsync("/a.bin", reader % 2 == 0 ? "" : "Range: bytes=0-0,2-\r\n");
            if (reader % 2 == 0)
            {
                Payload.AssertSame(Version(BitConverter.ToInt32(response.Body), response.Body.Length), response.Body);
            }

            Assert.True(response.Status is 200 or 206);
            count++;
        }

        return count;
    }

    /// <summary>Content that says of each stretch of it which version it is of.</summary>
    private static byte[] Version(int version, int lengthBytes)
    {
        byte[] content = new byte[lengthBytes];
        for (int offset = 0; offset + sizeof(int) <= lengthBytes; offset += sizeof(int))
        {
            BitConverter.TryWriteBytes(content.AsSpan(offset), version);
        }

        return content;
    }
}
