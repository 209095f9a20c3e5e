namespace Ioxide.Report;

/// <summary>Where a run was made.</summary>
internal sealed record MachineRecord(string Cpu, int CpuCount, double MemoryGb, string Kernel, string Runtime);
