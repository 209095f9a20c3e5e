namespace Ioxide.AspNetCore.Tests;

/// <summary>What the package sets in an application that references it, by its MSBuild targets.</summary>
public class ThreadPoolSpinTests
{
    [Fact]
    public void ThreadsOfThePoolSleepAtOnce() => Assert.Equal("0", AppContext.GetData("System.Threading.ThreadPool.UnfairSemaphoreSpinLimit"));

    /// <summary>The sample is built as an application; its configuration lies where tests of this configuration are built.</summary>
    [Fact]
    public void ApplicationsGetItIntoTheirRuntimeConfiguration()
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        string file = Path.Combine(AppContext.BaseDirectory, "..", "..", "Hello", configuration, "Hello.runtimeconfig.json");

        Assert.Contains("\"System.Threading.ThreadPool.UnfairSemaphoreSpinLimit\": 0", File.ReadAllText(file), StringComparison.Ordinal);
    }
}
