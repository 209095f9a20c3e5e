using Ioxide.FilesBench;

// What of static files is no rate of requests: how long a folder takes to load and what it keeps, and large files.
switch (args)
{
    case ["snapshot"]:
        await SnapshotRun.RunAsync();
        return 0;
    case ["large"]:
        await LargeRun.RunAsync(seconds: 10);
        return 0;
    case ["large", var text] when int.TryParse(text, out int seconds) && seconds > 0:
        await LargeRun.RunAsync(seconds);
        return 0;
    case ["rename", var count, .. var rest] when int.TryParse(count, out int files) && files > 0:
        await RenameRun.RunAsync(files, rest is [var each] ? int.Parse(each, System.Globalization.CultureInfo.InvariantCulture) : 1000);
        return 0;
    default:
        Console.Error.WriteLine(
            """
            Ioxide.FilesBench snapshot        loads 10,000 files of 200 MB: time, and memory kept
            Ioxide.FilesBench rename FILES [FILES_PER_FOLDER]
                                              renames one: processor time, time until it is served, memory; 1,000 per folder unless said
            Ioxide.FilesBench large [SECONDS] 64 readers of a file of 1 GB: memory above idle and bytes a second, beside UseStaticFiles
            """);
        return 2;
}
