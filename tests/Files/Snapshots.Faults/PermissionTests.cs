using Microsoft.AspNetCore.Http;

namespace Ioxide.Files.Tests;

/// <summary>
/// Permissions of files and folders change while they are served, as a seed draws them. What the process may read is answered as stock Kestrel
/// answers it; what it may not is not found. Root may read everything, so that the hosts run as another user then.
/// </summary>
public sealed class PermissionTests : IDisposable
{
    private const int Rounds = 6;

    private const UnixFileMode Read = UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private const UnixFileMode Enter = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    private static readonly string[] s_folders = ["x", "x/y", "x/y/z", "w"];
    private static readonly UnixFileMode[] s_modes = [Read | Enter, Read | Enter, Read, Enter, UnixFileMode.None];
    private static readonly string[] s_files =
        ["a.txt", "b.txt", .. s_folders.SelectMany(static folder => new[] { $"{folder}/a.txt", $"{folder}/b.txt" })];

    private readonly TestFolder _outer = new();

    /// <summary>What was set, because it cannot be read everywhere.</summary>
    private readonly Dictionary<string, UnixFileMode> _modes = [];

    public PermissionTests()
    {
        foreach (string file in s_files)
        {
            _outer.With($"site/{file}", $"{file} of the first day");
        }

        File.SetUnixFileMode(_outer.Path, Read | Enter);
        SetAll(Read | Enter);
    }

    /// <remarks>In the twelfth a folder, one in it and one in that change at once.</remarks>
    public static TheoryData<ulong> Seeds => [.. Enumerable.Range(1, Math.Max(1, Scale.Of(6))).Append(12).Select(static seed => (ulong)seed)];

    public void Dispose()
    {
        SetAll(Read | Enter | UnixFileMode.UserWrite);
        File.SetUnixFileMode(_outer.Path, Read | Enter | UnixFileMode.UserWrite);
        _outer.Dispose();
    }

    [Theory, MemberData(nameof(Seeds))]
    public async Task WhatMayBeReadIsServedAndWhatMayNotIsNotFound(ulong seed)
    {
        var dice = new FaultDice(seed);
        await using HostPair hosts = await StartAsync();
        int refused = 0;
        for (int round = 0; round < Rounds; round++)
        {
            for (int count = 1 + dice.Below(5); count > 0; count--)
            {
                // A folder's mode can be set only where the folders around it may be entered: the tests need not be root.
                string path = dice.Hits(500) ? s_files[dice.Below(s_files.Length)] : s_folders[dice.Below(s_folders.Length)];
                if (MayEnter(path))
                {
                    Set(path, s_modes[dice.Below(s_modes.Length)]);
                }
            }

            foreach (string file in s_files)
            {
                refused += await AssertExpectedAsync(hosts, file) ? 0 : 1;
            }
        }

        Assert.NotEqual(0, refused);
        SetAll(Read | Enter);
        foreach (string file in s_files)
        {
            await hosts.SameAsync($"/{file}");
        }

        Assert.Equal(0, hosts.LinesWith("could not be read again"));
        await hosts.StopAsync();
    }

    [Fact]
    public async Task AFolderThatCannotBeReachedIsServedFromWhatIsKnown()
    {
        await using HostPair hosts = await StartAsync();
        File.SetUnixFileMode(_outer.Path, UnixFileMode.None);
        await Waits.Eventually(() => hosts.LinesWith("could not be read again") == 1, 60.Seconds());
        foreach (string file in s_files)
        {
            // A difference to stock Kestrel, which finds nothing.
            Assert.Equal(StatusCodes.Status404NotFound, (await hosts.StockAsync($"/{file}")).Status);
            Assert.Equal($"{file} of the first day", (await hosts.OursAsync($"/{file}")).Text);
        }

        File.SetUnixFileMode(_outer.Path, Read | Enter);
        File.SetUnixFileMode(_outer["site"], Read | Enter | UnixFileMode.UserWrite);
        _outer.With("site/later.txt", "later");
        await hosts.SameAsync("/later.txt");
        Assert.Equal(1, hosts.LinesWith("could not be read again"));
        await hosts.StopAsync();
    }

    private async Task<HostPair> StartAsync()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        bool isRoot = Environment.IsPrivilegedProcess;
        Assert.SkipUnless(!isRoot || File.Exists("/usr/bin/setpriv"), "setpriv (util-linux) is not installed.");
        string[] command = isRoot ? UnusedUser.Command() : [];
        return await HostPair.StartAsync(command, _ => command, _outer["site"]);
    }

    /// <returns>Whether the file is served.</returns>
    private async Task<bool> AssertExpectedAsync(HostPair hosts, string file)
    {
        bool isReachable = MayEnter(file);
        bool isReadable = isReachable && ModeOf(file).HasFlag(Read);

        // Differences to stock Kestrel: a file that must not be read is no error of the server's; and what lies in a folder that must not be
        // listed is not known.
        bool isKnown = Outside(file).All(folder => ModeOf(folder).HasFlag(Read));
        RawResponse stock = await hosts.StockAsync($"/{file}");
        Assert.Equal(
            (file, isReadable ? StatusCodes.Status200OK : isReachable ? StatusCodes.Status500InternalServerError : StatusCodes.Status404NotFound),
            (file, stock.Status));
        int status = isReadable && isKnown ? StatusCodes.Status200OK : StatusCodes.Status404NotFound;
        RawResponse ours = await hosts.OursAsync($"/{file}", answer => answer.Status == status, $"{status}");
        Assert.Equal(status == StatusCodes.Status200OK ? stock.Text : "", ours.Text);
        return status == StatusCodes.Status200OK;
    }

    private bool MayEnter(string path) => Outside(path).All(folder => ModeOf(folder).HasFlag(Enter));

    private UnixFileMode ModeOf(string path) => _modes[path];

    /// <summary>The folders around it, below the served one.</summary>
    private static IEnumerable<string> Outside(string path)
        => Enumerable.Range(0, path.Length).Where(index => path[index] == '/').Select(index => path[..index]);

    /// <summary>From the outside in, so that each can be reached.</summary>
    private void SetAll(UnixFileMode mode)
    {
        foreach (string path in s_folders.Prepend("").Concat(s_files))
        {
            Set(path, mode);
        }
    }

    private void Set(string path, UnixFileMode mode)
    {
        File.SetUnixFileMode(_outer[$"site/{path}"], mode);
        _modes[path] = mode;
    }
}
