namespace Ioxide.Files.Tests;

/// <summary>The folder is kept by another machine, whose changes the kernel does not report: a file system in user space that this test serves.</summary>
/// <remarks>Takes up to 10 s: the folder is looked at every few seconds.</remarks>
public class OtherMachineTests
{
    [Fact]
    public async Task AFileThatItIsStillWritingIsServedWholeInTheEnd()
    {
        using OtherMachine other = OtherMachine.Mount();
        other.Write("a.js", "a");
        await using FileServer server = await StartAsync(other.Path);
        await ServesAsync(server, "/a.js", "a");

        // The folder changes with the name, and only the file with what is written next.
        other.Write("big.js", "half of");
        await ServesAsync(server, "/big.js", "half of");
        other.Write("big.js", "half of it, and the rest");
        await ServesAsync(server, "/big.js", "half of it, and the rest");
        other.Write("a.js", "b");
        await ServesAsync(server, "/a.js", "b");
    }

    [Fact]
    public async Task AFolderOfItsThatALinkLeadsToIsFollowedToo()
    {
        using OtherMachine other = OtherMachine.Mount();
        using TestFolder folder = new TestFolder().With("own.txt", "own");
        Directory.CreateSymbolicLink(folder["linked"], other.Path);
        other.Write("a.js", "a");
        await using FileServer server = await StartAsync(folder.Path, SymbolicLinks.FollowAnywhere);
        await ServesAsync(server, "/linked/a.js", "a");
        other.Write("a.js", "b");
        await ServesAsync(server, "/linked/a.js", "b");
        await ServesAsync(server, "/own.txt", "own");
    }

    private static Task<FileServer> StartAsync(string folder, SymbolicLinks links = SymbolicLinks.Refuse)
        => FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder,
            Options = options =>
            {
                options.WatchForChanges = true;
                options.SymbolicLinks = links;
            },
        });

    private static async Task ServesAsync(FileServer server, string path, string content)
    {
        using RawClient client = await server.ConnectAsync();
        await Waits.Until(() => client.GetAsync(path), answer => answer.Status == 200 && answer.Text == content, 60.Seconds(), $"{path}: {content}");
    }
}
