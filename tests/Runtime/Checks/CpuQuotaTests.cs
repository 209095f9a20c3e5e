namespace Ioxide.Tests;

/// <summary>The quota is read from files as the kernel writes them, below a folder that stands for the mounted control groups.</summary>
public sealed class CpuQuotaTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("ioxide-").FullName;

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Theory]
    [InlineData("max 100000", null)]
    [InlineData("150000 100000", 1.5)]
    [InlineData("50000 100000", 0.5)]
    [InlineData("", null)]
    public void IsThatOfTheGroup(string limit, double? expected)
    {
        Write("pod/box/cpu.max", limit);

        Assert.Equal(expected, CpuQuota.Read(Membership("0::/pod/box"), _root));
    }

    [Fact]
    public void IsTheTightestOnTheWayToTheRoot()
    {
        Write("pod/box/cpu.max", "400000 100000");
        Write("pod/cpu.max", "200000 100000");

        Assert.Equal(2, CpuQuota.Read(Membership("0::/pod/box"), _root));
    }

    [Theory]
    [InlineData("50000", 0.5)]
    [InlineData("-1", null)]
    public void IsReadFromTheFirstVersionOfControlGroups(string quota, double? expected)
    {
        Write("cpu,cpuacct/box/cpu.cfs_quota_us", quota);
        Write("cpu,cpuacct/box/cpu.cfs_period_us", "100000");

        Assert.Equal(expected, CpuQuota.Read(Membership("3:memory:/box\n4:cpu,cpuacct:/box"), _root));
    }

    [Theory]
    [InlineData("0::/box", "box", "usage_usec 9\nnr_throttled 3\nthrottled_usec 2500000\nnr_bursts 0", 2.5)]
    [InlineData("0::/pod/box", "pod", "throttled_usec 2500000", 2.5)]
    [InlineData("4:cpu,cpuacct:/box", "cpu,cpuacct/box", "nr_periods 8\nthrottled_time 598000000", 0.598)]
    [InlineData("0::/box", "box", "usage_usec 9", 0)]
    [InlineData("0::/box", "other", "throttled_usec 2500000", 0)]
    public void ThrottledTimeIsReadFromBothVersions(string membership, string folder, string text, double seconds)
    {
        Write($"{folder}/cpu.stat", text);

        Assert.Equal(TimeSpan.FromSeconds(seconds), CpuQuota.Throttled(Membership(membership), _root));
    }

    [Fact]
    public void IsNoneWhereNoFileSaysIt() => Assert.Null(CpuQuota.Read(Path.Join(_root, "nowhere"), _root));

    [Theory]
    [InlineData(null, CheckState.Ok, "2 usable, no quota")]
    [InlineData(1.5, CheckState.Ok, "2 usable, with a quota of 1.5")]
    [InlineData(0.5, CheckState.Limited, "2 usable, with a quota of 0.5")]
    public void LessThanAProcessorIsLimited(double? quota, CheckState state, string found)
    {
        CheckLine line = RuntimeCheck.DescribeProcessors(2, quota);

        Assert.Equal((state, found), (line.State, line.Found));
        Assert.Equal(state == CheckState.Ok, line.Remedy is null);
    }

    private string Membership(string text)
    {
        Write("membership", text);
        return Path.Join(_root, "membership");
    }

    private void Write(string name, string text)
    {
        string path = Path.Join(_root, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text + "\n");
    }
}
