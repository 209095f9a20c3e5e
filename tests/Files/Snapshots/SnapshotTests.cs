using System.Buffers;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>A snapshot holds what the folder held, in memory as far as the budget goes, and frees it when nobody names it.</summary>
/// <remarks>Takes 35 s: a hundred thousand files are written and read.</remarks>
public class SnapshotTests
{
    [Fact]
    public async Task TheLargestFilesStayOnDisk()
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(1000)).With("b.txt", Payload.Of(2000))
            .With("c.txt", Payload.Of(3000)).With("d.txt", "");
        FileSnapshot snapshot = await LoadAsync(folder, static options => options.MemoryBudget = 3500);

        Assert.Equal((4, 1, 3000L), (snapshot.FileCount, snapshot.DiskFileCount, snapshot.MemoryBytes));
        Assert.True(snapshot.Find("/c.txt")!.Identity.IsOnDisk);
        Assert.False(snapshot.Find("/b.txt")!.Identity.IsOnDisk);
        Assert.False(snapshot.Find("/d.txt")!.Identity.IsOnDisk);
    }

    [Fact]
    public async Task ASiblingCountsOnlyIfItIsSmallerAndNotOlder()
    {
        DateTime later = TestFolder.Modified.AddSeconds(1);
        DateTime earlier = TestFolder.Modified.AddSeconds(-1);
        using TestFolder folder = new TestFolder().With("a.css", Payload.Of(1000)).With("a.css.br", Payload.Of(999), later)
            .With("a.css.gz", Payload.Of(998), TestFolder.Modified).With("a.css.zst", Payload.Of(997), earlier)
            .With("b.css", Payload.Of(1000)).With("b.css.br", Payload.Of(1000)).With("c.css.br", Payload.Of(10));
        FileSnapshot snapshot = await LoadAsync(folder);

        Assert.Equal(
            [FileCoding.Identity, FileCoding.Brotli, FileCoding.Gzip],
            snapshot.Find("/a.css")!.Variants.Select(static variant => variant.Coding));
        Assert.Single(snapshot.Find("/b.css")!.Variants);
        Assert.Null(snapshot.Find("/c.css"));
        Assert.Null(snapshot.Find("/c.css.br"));
    }

    [Fact]
    public async Task FoldersAnswerWithTheirDefaultDocument()
    {
        using TestFolder folder = new TestFolder().With("index.html", "root").With("a/index.html", "a").With("b/c.html", "c");
        FileSnapshot snapshot = await LoadAsync(folder);

        Assert.Same(snapshot.Find("/index.html"), snapshot.Find("/"));
        Assert.Same(snapshot.Find("/a/index.html"), snapshot.Find("/a/"));
        Assert.True(snapshot.IsFolder("/a") && snapshot.IsFolder(""));
        Assert.Null(snapshot.Find("/b/"));
        Assert.False(snapshot.IsFolder("/b"));
    }

    [Fact]
    public async Task UnknownTypesAreServedOnlyWithADefaultType()
    {
        using TestFolder folder = new TestFolder().With("a.unknown", "a").With("noextension", "b").With("c.txt", "c");
        Assert.Equal(1, (await LoadAsync(folder)).FileCount);
        FileSnapshot snapshot = await LoadAsync(folder, static options => options.DefaultContentType = "application/x-any");
        Assert.Contains(snapshot.Find("/noextension")!.Identity.Shared.All.ToArray(), static field => field.Value == "application/x-any");
    }

    [Fact]
    public async Task WhatDidNotChangeIsSharedWithTheNextSnapshot()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "same").With("b.txt", "before");
        using FileRoot root = FileRoot.Open(folder.Path, SymbolicLinks.Refuse);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(folder);
        FileSnapshot first = await SnapshotMemoryTests.LoadSettledAsync(root, loader);
        folder.Replace("b.txt", "after!"u8.ToArray());
        FileSnapshot second = await SnapshotMemoryTests.LoadAsync(loader, root, first);

        Assert.Same(first.Find("/a.txt"), second.Find("/a.txt"));
        Assert.NotSame(first.Find("/b.txt")!.Content, second.Find("/b.txt")!.Content);
        Assert.NotEqual(first.Find("/b.txt")!.Identity.ETag, second.Find("/b.txt")!.Identity.ETag);
    }

    /// <summary>Between its description and its bytes: bytes of one version under the name of another would be served for good.</summary>
    [Fact]
    public async Task AFileThatChangesWhileItIsReadIsReadAgain()
    {
        byte[] after = [.. Enumerable.Reverse(Payload.Of(1000))];
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(1000));
        using FileRoot root = FileRoot.Open(folder.Path, SymbolicLinks.Refuse);
        int reads = 0;
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(folder.Path, reactors: BeginRead);
        FileSnapshot snapshot = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);

        FileContent content = snapshot.Find("/a.txt")!.Content;
        Payload.AssertSame(after, content.Body.Bytes.ToArray());
        using SafeFileHandle? file = root.TryOpenFile("a.txt", out FileStatus status, out _);
        Assert.Equal(FileVersion.Of(status), content.Version);
        Assert.Equal((2, 1000), (reads, content.Body.Chunk!.Used));

        Reactor? BeginRead()
        {
            if (reads++ == 0)
            {
                File.WriteAllBytes(folder["a.txt"], after);
            }

            return null;
        }
    }

    /// <summary>It is read anew as long as the budget has room for all that was read of it; then it stays on disk.</summary>
    [Theory]
    [InlineData(6000, false)]
    [InlineData(5999, true)]
    public async Task AFileThatGrowsWhileItIsReadDoesNotGrowOutOfTheBudget(long budget, bool isOnDisk)
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(1000));
        using FileRoot root = FileRoot.Open(folder.Path, SymbolicLinks.Refuse);
        int reads = 0;
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(folder.Path, new IoxideFilesOptions { MemoryBudget = budget }, BeginRead);
        FileSnapshot snapshot = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);

        FileContent content = snapshot.Find("/a.txt")!.Content;
        Assert.Equal((isOnDisk, 3000L), (content.IsOnDisk, content.Length));

        Reactor? BeginRead()
        {
            if (++reads <= 2)
            {
                File.WriteAllBytes(folder["a.txt"], Payload.Of(1000 * (reads + 1)));
            }

            return null;
        }
    }

    /// <summary>Files of sysfs say 4,096 bytes and have a line: what is not all there is left out.</summary>
    [Fact]
    public async Task AFileThatIsShorterThanItSaysIsLeftOut()
    {
        const string Folder = "/sys/kernel/mm/transparent_hugepage";
        Assert.SkipUnless(File.Exists($"{Folder}/enabled"), $"There is no {Folder}.");
        using FileRoot root = FileRoot.Open(Folder, SymbolicLinks.Refuse);
        SnapshotLoader loader = SnapshotMemoryTests.MakeLoader(Folder, new IoxideFilesOptions { DefaultContentType = "text/plain" });
        FileSnapshot snapshot = await SnapshotMemoryTests.LoadAsync(loader, root, FileSnapshot.Empty);
        Assert.Null(snapshot.Find("/enabled"));
    }

    [Fact]
    public async Task MemoryIsFreedWhenTheLastWhoNamesItLetsGo()
    {
        using TestFolder folder = new TestFolder().With("a.bin", Payload.Of(5_000_000));
        long before = await NativeMemory.SettledAsync();
        var user = new User();
        await user.TakeAsync(folder);

        // Off the stack of the loading, which still names what it made.
        await Task.Yield();

        Assert.InRange(await NativeMemory.SettledAsync() - before, 4_900_000, 5_100_000);

        user.LetGo();
        Assert.InRange(await NativeMemory.SettledAsync() - before, -100_000, 0);
    }

    [Fact, Once]
    public async Task AHundredThousandFilesAreLoadedAndFound()
    {
        const int Count = 100_000;
        using TestFolder folder = new();
        for (int index = 0; index < Count; index++)
        {
            if (index % 1000 == 0)
            {
                Directory.CreateDirectory(folder[$"{index / 1000}"]);
            }

            await File.WriteAllBytesAsync(folder[$"{index / 1000}/{index}.txt"], BitConverter.GetBytes(index));
        }

        FileSnapshot snapshot = await LoadAsync(folder);
        Assert.Equal(Count, snapshot.FileCount);
        for (int index = 0; index < Count; index += 997)
        {
            string path = $"/{index / 1000}/{index}.txt";
            Assert.Equal(BitConverter.GetBytes(index), snapshot.Find(path)!.Identity.Body.Bytes.ToArray());
        }
    }

    private static async Task<FileSnapshot> LoadAsync(TestFolder folder, Action<IoxideFilesOptions>? configure = null)
    {
        var options = new IoxideFilesOptions();
        configure?.Invoke(options);
        using FileRoot root = FileRoot.Open(folder.Path, options.SymbolicLinks);
        return await SnapshotMemoryTests.LoadAsync(SnapshotMemoryTests.MakeLoader(folder, options), root, FileSnapshot.Empty);
    }

    /// <summary>Names the bytes of a file as a send does, and nothing else of the snapshot.</summary>
    private sealed class User
    {
        private MemoryHandle _handle;

        internal async Task TakeAsync(TestFolder folder) => _handle = (await LoadAsync(folder)).Find("/a.bin")!.Identity.Body.Bytes.Pin();

        internal void LetGo()
        {
            _handle.Dispose();
            _handle = default;
        }
    }
}
