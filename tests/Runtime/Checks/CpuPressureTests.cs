namespace Ioxide.Tests;

/// <summary>How short of processors the machine is, as the kernel tells it.</summary>
public class CpuPressureTests
{
    [Theory]
    [InlineData("some avg10=32.76 avg60=51.33 avg300=60.18 total=17282866081\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", 0.3276)]
    [InlineData("some avg10=100.00 avg60=0.00 avg300=0.00 total=1\n", 1)]
    [InlineData("", 0)]
    [InlineData("some avg10=", 0)]
    [InlineData("some avg10=x avg60=0.00", 0)]
    [InlineData("full avg10=9.00 avg60=0.00", 0)]
    public void ItIsTheShareOfTheLastTenSeconds(string text, double expected)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllText(path, text);
            Assert.Equal(expected, CpuPressure.Recent(path), precision: 6);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void WhereTheKernelDoesNotSayItIsZero() => Assert.Equal(0, CpuPressure.Recent("/proc/no such file"));
}
