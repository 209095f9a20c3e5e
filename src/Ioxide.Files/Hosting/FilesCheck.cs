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
            FolderWalk.ThrowIfUnlisted(root.Path, folder is null ? errno : 0);
            return root.Refusal == 0
                ? new CheckLine(Name, CheckState.Ok, $"{site.Folder} is readable")
                : new CheckLine(Name, CheckState.Limited, $"{site.Folder} is readable, but openat2 failed with {Errno.Name(root.Refusal)}")
                {
                    Cost = "each part of a path is opened by a call of its own",
                    Remedy = Refusal.RemedyOfFeature("openat2", Errno.Name(root.Refusal)),
                };
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new CheckLine(Name, CheckState.Missing, IoxideCheck.Describe(FolderException.Of(exception)))
            {
                Cost = "the host does not start",
            };
        }
    }
}
