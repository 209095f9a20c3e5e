using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>The memory of snapshots: side by side while they are made, read only afterwards, and gathered where reloads scatter it.</summary>
[Once]
public class SnapshotMemoryTests
{
    [Fact]
    public void BodiesLieSideBySideAndApart()
    {
        var memory = new SnapshotMemory();
        int[] lengths = [1, 63, 64, 65, 4096, 100_000, 1];
        FileBody[] bodies = [.. lengths.Select(memory.Take)];
        for (int index = 0; index < bodies.Length; index++)
        {
            bodies[index].Fill().Span.Fill((byte)(index + 1));
        }

        memory.Seal();
        Assert.Single(bodies.Select(static body => body.Chunk).Distinct());
        for (int index = 0; index < bodies.Length; index++)
        {
            Assert.Equal(-1, bodies[index].Bytes.Span.IndexOfAnyExcept((byte)(index + 1)));
        }
    }

    [Fact]
    public void ALargeBodyHasAChunkOfItsOwnAndSmallOnesGoOnBesideIt()
    {
        var memory = new SnapshotMemory();
        FileBody small = memory.Take(10);
        FileBody large = memory.Take(20_000_000);
        FileBody next = memory.Take(10);
        memory.Seal();
        Assert.NotSame(small.Chunk, large.Chunk);
        Assert.Same(small.Chunk, next.Chunk);
        Assert.Equal(20_000_000, large.Bytes.Length);
    }

    /// <summary>The kernel refuses to write there, and says so, where code of the process would be ended by a fault.</summary>
    [Fact]
    public void SealedMemoryCannotBeWritten()
    {
        using TestFolder folder = new TestFolder().With("a.bin", Payload.Of(5000));
        using SafeFileHandle file = File.OpenHandle(folder["a.bin"]);
        var memory = new SnapshotMemory();
        FileBody body = memory.Take(5000);
        Assert.Equal(5000, RandomAccess.Read(file, body.Fill().Span, 0));
        memory.Seal();

        Assert.Equal(Payload.Of(5000)[0], body.Bytes.Span[0]);
        Assert.ThrowsAny<SystemException>(() => RandomAccess.Read(file, body.Fill().Span, 0));
        Payload.AssertSame(Payload.Of(5000), body.Bytes.ToArray());
        GC.KeepAlive(body.Chunk);
    }

    [Fact]
    public async Task WhatIsLeftOfAChunkIsCopiedOutOfIt()
    {
        const int LengthBytes = 1_500_000;
        using TestFolder folder = new();
        for (int index = 0; index < 5; index++)
        {
            folder.With($"{index}.bin", Payload.Of(LengthBytes));
        }

        using FileRoot root = FileRoot.Open(folder.Path, SymbolicLinks.Refuse);
        SnapshotLoader loader = MakeLoader(folder);
        FileSnapshot first = await LoadSettledAsync(root, loader);
        BodyChunk chunk = Assert.Single(ChunksOf(first));

        // Three of five: more than half, so they stay where they are.
        File.Delete(folder["0.bin"]);
        File.Delete(folder["1.bin"]);
        FileSnapshot second = await LoadAsync(loader, root, first);
        Assert.Same(chunk, Assert.Single(ChunksOf(second)));

        File.Delete(folder["2.bin"]);
        FileSnapshot third = await LoadAsync(loader, root, second);
        Assert.DoesNotContain(chunk, ChunksOf(third));
        foreach (string name in new[] { "3.bin", "4.bin" })
        {
            Assert.Equal(first.Find("/" + name)!.Content.Tag, third.Find("/" + name)!.Content.Tag);
            Payload.AssertSame(Payload.Of(LengthBytes), third.Find("/" + name)!.Content.Body.Bytes.ToArray());
        }
    }

    [Fact]
    public async Task ManyReloadsDoNotScatterTheMemory()
    {
        const int Files = 150;
        using TestFolder folder = new();
        using FileRoot root = FileRoot.Open(folder.Path, SymbolicLinks.Refuse);
        SnapshotLoader loader = MakeLoader(folder);
        FileSnapshot snapshot = FileSnapshot.Empty;
        int most = 0;
        for (int index = 0; index < Files; index++)
        {
            folder.With($"{index}.txt", Payload.Of(100 + index));
            snapshot = await LoadAsync(loader, root, snapshot);
            most = Math.Max(most, ChunksOf(snapshot).Count);
        }

        Assert.InRange(most, 1, 66);
        for (int index = 0; index < Files; index++)
        {
            Payload.AssertSame(Payload.Of(100 + index), snapshot.Find($"/{index}.txt")!.Content.Body.Bytes.ToArray());
        }
    }

    private static List<BodyChunk> ChunksOf(FileSnapshot snapshot)
        => [.. snapshot.Entries().Select(static file => file.Entry.Content.Body.Chunk).OfType<BodyChunk>().Distinct()];

    internal static SnapshotLoader MakeLoader(TestFolder folder, IoxideFilesOptions? options = null) => MakeLoader(folder.Path, options);

    /// <summary>A loader for any folder; <paramref name="reactors"/> is asked when a read begins.</summary>
    internal static SnapshotLoader MakeLoader(string folder, IoxideFilesOptions? options = null, Func<Reactor?>? reactors = null)
        => new(options ?? new IoxideFilesOptions(), reactors ?? (static () => null), new SkipLog(folder, NullLogger.Instance));

    internal static Task<FileSnapshot> LoadAsync(SnapshotLoader loader, FileRoot root, FileSnapshot before, FolderChanges? changes = null)
        => loader.LoadAsync(root, before, changes ?? FolderChanges.Whole(), static (_, _, _) => { }, CancellationToken.None);

    /// <summary>Loads until the clock of the file system has moved on from the last change: before, nothing is taken over.</summary>
    internal static async Task<FileSnapshot> LoadSettledAsync(FileRoot root, SnapshotLoader loader)
    {
        while (true)
        {
            FileSnapshot snapshot = await LoadAsync(loader, root, FileSnapshot.Empty);
            if (snapshot.Entries().All(static file => file.Entry.Content.IsSettled))
            {
                return snapshot;
            }
        }
    }
}
