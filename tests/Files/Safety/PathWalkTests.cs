using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>
/// Where the host refuses openat2, paths are walked name by name. Each path is opened in both ways, by the kernel's own containment
/// and by the walk, and both come to the same: the same file, or an error where the kernel has one.
/// </summary>
public sealed class PathWalkTests : IDisposable
{
    private readonly TestFolder _outer = new();
    private readonly string _root;

    public PathWalkTests()
    {
        _outer.With("secret.txt", "secret").With("root/inside.txt", "inside").With("root/a/b.txt", "b").With("root/a/c/d.txt", "d");
        _root = _outer["root"];
        Link("link-out", "../secret.txt");
        Link("link-absolute", _outer["secret.txt"]);
        Link("link-absolute-inside", Path.Join(_root, "inside.txt"));
        Link("link-inside", "a/b.txt");
        Link("link-up-and-in", "a/../inside.txt");
        Link("link-out-and-in", "../root/inside.txt");
        Link("folder-link", "a/c");
        Link("folder-out", "..");
        Link("a/up", "../inside.txt");
        Link("a/up-twice", "../../secret.txt");
        Link("circle", "circle");
        Link("self", ".");
        Link("dangling", "nothing");
        Link("slash", "a/");
        Link("file-slash", "inside.txt/");
        Special.MakeFifo(Path.Join(_root, "fifo"));
        for (int index = 0; index < 45; index++)
        {
            Link($"chain{index}", index == 0 ? "inside.txt" : $"chain{index - 1}");
        }
    }

    public void Dispose() => _outer.Dispose();

    [Theory, Each(
        "inside.txt", "a/b.txt", "a/c/d.txt", "a", "a/", "a//b.txt", "./a/./b.txt", "a/../inside.txt", "a/./../inside.txt", "self/../inside.txt",
        "a/c/./.././b.txt", "inside.txt/.", "inside.txt/", "inside.txt/x", "inside.txt/..", "inside.txt/../a/b.txt", "missing",
        "missing/../inside.txt", "..", "../secret.txt", "a/../../secret.txt", "../root/inside.txt", "link-out", "link-absolute",
        "link-absolute-inside", "link-inside", "link-inside/x", "link-up-and-in", "link-out-and-in", "folder-link", "folder-link/d.txt",
        "folder-link/../b.txt", "folder-out", "folder-out/secret.txt", "a/up", "a/up-twice", "circle", "self/self/inside.txt", "dangling",
        "slash/b.txt", "file-slash", "fifo", "chain39", "chain40", "chain44")]
    public void TheWalkOpensWhatTheKernelOpens(string path)
    {
        int root = OpenByKernel(FileConstants.CurrentDirectory, _root, FileConstants.OpenPath, resolve: 0);
        Assert.SkipWhen(root < 0, $"This host refuses openat2: {Errno.Name(-root)}.");
        try
        {
            foreach (SymbolicLinks links in new[] { SymbolicLinks.Refuse, SymbolicLinks.FollowInside })
            {
                foreach (ulong flags in new[] { FileConstants.OpenPath, FileConstants.OpenReadOnly | FileConstants.OpenNonBlocking })
                {
                    string expected = Describe(OpenByKernel(root, path, flags, FileRoot.ResolveFlags(links)));
                    string walked = Describe(PathWalk.Open(root, path, flags, links == SymbolicLinks.FollowInside));
                    Assert.Equal(($"{links} {flags:x}", expected), ($"{links} {flags:x}", walked));
                }
            }
        }
        finally
        {
            _ = Kernel.Linux.Close(root);
        }
    }

    [Fact]
    public void TheWalkLeavesNothingOpen()
    {
        int root = OpenByKernel(FileConstants.CurrentDirectory, _root, FileConstants.OpenPath, resolve: 0);
        Assert.SkipWhen(root < 0, $"This host refuses openat2: {Errno.Name(-root)}.");
        LeakCheck descriptors = LeakCheck.Start();
        foreach (string path in new[] { "a/c/d.txt", "a/c/missing", "a/c/../../../secret.txt", "self/self/circle", "inside.txt/x" })
        {
            int opened = PathWalk.Open(root, path, FileConstants.OpenReadOnly, followsLinks: true);
            if (opened >= 0)
            {
                _ = Kernel.Linux.Close(opened);
            }
        }

        Assert.Empty(descriptors.Leaked());
        _ = Kernel.Linux.Close(root);
    }

    private void Link(string name, string target) => File.CreateSymbolicLink(Path.Join(_root, name), target);

    /// <summary>Which file it is, or which error, as applications tell them apart: refused, absent, or no folder.</summary>
    private static unsafe string Describe(int opened)
    {
        if (opened < 0)
        {
            return Errno.Name(-opened);
        }

        FileStatus status;
        int described = Sys.Status(opened, &status);
        _ = Kernel.Linux.Close(opened);
        Assert.True(described >= 0);
        return $"inode {status.Inode}";
    }

    private static unsafe int OpenByKernel(int folder, string path, ulong flags, ulong resolve)
    {
        var how = new OpenHow { Flags = flags | FileConstants.OpenCloseOnExec, Resolve = resolve };
        fixed (byte* pointer = Encoding.UTF8.GetBytes(path + '\0'))
        {
            return Sys.Open(folder, pointer, &how);
        }
    }
}
