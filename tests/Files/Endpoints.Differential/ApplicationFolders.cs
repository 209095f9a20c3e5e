namespace Ioxide.Files.Tests;

/// <summary>The folders that generated applications serve: written once, because only their names and options matter.</summary>
internal sealed class ApplicationFolders : IDisposable
{
    /// <summary>The files of each folder, from its root.</summary>
    internal static readonly string[][] Names =
    [
        [
            "index.html", "a.txt", "app.js", "app.js.gz", "private/secret.txt", "private/index.html", "private/a.txt", "with space/my file.txt",
            "ü.txt", "docs/index.html", "docs/a.b.txt", "docs/a.txt", "admin", "adm2", "42", "42.txt",
            "large.css", "large.css.gz", "empty.txt", ".well-known/x.txt",
        ],
        [
            "index.html", "a.txt", "default.htm", "sub/index.html", "sub/deep/a.txt", "a+b.txt", "100%.txt", "users/7", "true", "2024-01-02",
            "private/secret.txt", "private/a.txt", ".hidden.txt",
        ],
        ["index.html", "a.txt", "secret.txt", "spa.html", "users/index.html", "1.5", "abc/def.txt", "my file.txt", "A.txt"],
    ];

    private readonly TestFolder[] _folders = [.. Names.Select(Make)];

    internal string this[int number] => _folders[number].Path;

    public void Dispose() => Array.ForEach(_folders, static folder => folder.Dispose());

    private static TestFolder Make(string[] names, int number)
    {
        var folder = new TestFolder();
        foreach (string name in names)
        {
            _ = name switch
            {
                "empty.txt" => folder.With(name, ""),
                "large.css" => folder.With(name, Payload.Of(70_000)),
                "large.css.gz" => folder.With(name, Payload.Of(66_000)),
                "app.js" => folder.With(name, Payload.Of(2_000)),
                "app.js.gz" => folder.With(name, Payload.Of(900)),
                _ => folder.With(name, $"File {name} of folder {number}."),
            };
        }

        return folder;
    }
}
