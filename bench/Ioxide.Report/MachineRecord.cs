namespace Ioxide.Report;

/// <summary>Where a run was made.</summary>
/// <param name="Cpu">Its model.</param>
/// <param name="CpuCount">Processors of the machine, not of the server.</param>
/// <param name="MemoryGb">10^9 bytes.</param>
/// <param name="Kernel">With TCP's congestion control: one that paces (bbr) sets a timer for each burst of a large reply.</param>
/// <param name="Runtime">.NET's.</param>
internal sealed record MachineRecord(string Cpu, int CpuCount, double MemoryGb, string Kernel, string Runtime);
