/** Where each system tells about power. Windows tells plain Node nothing; there the desktop's word is all there is. */
import { askPmset } from './pmset';
import { POWER_SUPPLY_FOLDER, type PowerReading, readPowerSupplies, unknownPower } from './powerSupply';

export async function readPower(platform: NodeJS.Platform): Promise<PowerReading> {
  switch (platform) {
    case 'linux':
      return readPowerSupplies(POWER_SUPPLY_FOLDER);
    case 'darwin':
      return askPmset();
    default:
      return unknownPower;
  }
}
