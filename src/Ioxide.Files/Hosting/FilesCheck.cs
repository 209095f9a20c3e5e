namespace Ioxide.Files;

/// <summary>Opens and lists each mapped folder.</summary>
internal sealed class FilesCheck(IServiceProvider services) : IHostCheck
{
    public Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
        => Task.FromResult<IReadOnlyList<CheckLine>>([.. services.GetRequiredService<FileSites>().All.Select(Look)]);

    private static CheckLine Look(FileSite site)
    {
        const string Name = "files";
        try
        {
            using FileRoot root = FileRoot.Open(site.Folder, site.Options.SymbolicLinks);
            using SafeFileHandle? folder = root.TryOpenFolder("", out _, out int errno);
            return folder is null
                ? Fail(Name, $"{site.Folder} cannot be listed: {Errno.Name(errno)}")
                : root.Refusal == 0
                    ? new CheckLine(Name, CheckState.Ok, $"{site.Folder} is readable")
                    : new CheckLine(Name, CheckState.Limited, $"{site.Folder} is readable, but openat2 failed with {Errno.Name(root.Refusal)}")
                    {
                        Cost = "each part of a path is opened by a call of its own",
                        Remedy = Refusal.RemedyOfFeature("openat2", Errno.Name(root.Refusal)),
                    };
        }
        catch (IOException exception)
        {
            return Fail(Name, exception.Message.TrimEnd('.'));
        }
    }

    private static CheckLine Fail(string name, string found) => new(name, CheckState.Missing, found)
    {
        Cost = "the host does not start",
        Remedy = "Check that the folder exists, and that the user of the process may read and enter it.",
    };
}
